"""What both sides of accounting.py compose: kind of noise, its width over the sensitivity, how often, and the peer's grid."""

DELTA = 1e-6
CASES = {
    "Laplace noise, scale 10, 1,000 times": ("laplace", 10.0, 1000, 1e-4),
    "Laplace noise, scale 10, 100 times": ("laplace", 10.0, 100, 1e-4),
    "Gaussian noise, σ = 50, 1,000 times": ("gaussian", 50.0, 1000, 1e-4),
    "Gaussian noise, σ = 10, 100 times": ("gaussian", 10.0, 100, 1e-4),
}
