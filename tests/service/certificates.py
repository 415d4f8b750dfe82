"""A certificate of one's own, for 127.0.0.1."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def certificate(folder: Path, name: str = "own", password: str = "") -> tuple[Path, Path]:
    """The files of a certificate and of its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "me")])
    there = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = x509.CertificateBuilder(issuer_name=who, subject_name=who, public_key=key.public_key(),
                                   serial_number=x509.random_serial_number(), not_valid_before=now - timedelta(days=1),
                                   not_valid_after=now + timedelta(days=1), extensions=[x509.Extension(there.oid, False, there)])
    files = folder / f"{name}-cert.pem", folder / f"{name}-key.pem"
    files[0].write_bytes(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    hidden = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, hidden))
    return files
