"""How the page of a release looks. One sheet, inside the page."""

__all__ = ["STYLE"]

STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--dim:#59636e;--line:#d8dee4;--paper:#fff;--soft:#f6f8fa;--blue:#2f6db3}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9aa4af;--line:#30363d;--paper:#0f1318;--soft:#171c23;--blue:#6aa7ee}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:66rem;padding:2.5rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:2.1rem;line-height:1.2;margin:0 0 .6rem;letter-spacing:-.01em}
h2{font-size:1.35rem;line-height:1.3;margin:0 0 .25rem}
p,li{max-width:44rem}
header p{font-size:1.08rem}
a{color:var(--blue);text-underline-offset:.15em}
a:focus-visible,.table:focus-visible,summary:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
.summary{list-style:none;display:flex;flex-wrap:wrap;gap:.5rem;margin:1.2rem 0 0;padding:0}
.summary li{padding:.3rem .8rem;border:1px solid var(--line);border-radius:2rem;background:var(--soft)}
nav{margin:1.4rem 0 0;padding:.9rem 0 0;border-top:1px solid var(--line)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;margin:0;padding:0}
section{margin-top:3rem}
.tags{margin:.1rem 0 .8rem;color:var(--dim);font-size:.92rem}
.left-out{color:var(--dim);font-size:.92rem}
.left-out p,.left-out ul{margin:.2rem 0}
.chart{margin:1.2rem 0;padding:.6rem;overflow-x:auto;border:1px solid var(--line);border-radius:.5rem;background:#fff}
.chart svg{display:block;width:100%;height:auto}
.narrow{display:none}
@media(max-width:44rem){.wide{display:none}.narrow{display:block}.chart{padding:.2rem}}
.table{width:fit-content;max-width:100%;max-height:34rem;overflow:auto;margin:1rem 0}
.table{border:1px solid var(--line);border-radius:.5rem}
table{border-collapse:separate;border-spacing:0;min-width:20rem;font-size:.94rem;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{padding:.32rem .8rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:baseline}
tbody tr:last-child>*{border-bottom:0}
tbody tr:nth-child(even)>*{background:var(--soft)}
thead>tr>*{position:sticky;top:0;background:var(--paper);box-shadow:inset 0 -1px var(--line);vertical-align:bottom;z-index:1}
thead small{display:block;max-width:16rem;color:var(--dim);font-weight:normal;font-size:.82rem;line-height:1.35}
th[scope=row]{font-weight:600;white-space:nowrap}
.number{text-align:right;white-space:nowrap}
thead .number small{margin-left:auto;white-space:normal}
.spread{color:var(--dim)}
.mark{width:1px;padding-left:0;white-space:nowrap}
.mark svg{display:block;margin-top:.3rem;overflow:visible}
.mark rect{fill:var(--blue);fill-opacity:.45}
.mark circle{fill:var(--blue)}
.mark path{fill:none;stroke:var(--ink);stroke-opacity:.75}
.mark .zero{stroke-opacity:.3}
.plain th[scope=row]{white-space:normal}
details{margin:.4rem 0}
summary{cursor:pointer;color:var(--dim);font-size:.92rem}
pre{overflow-x:auto;margin:.5rem 0;padding:.8rem 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--soft);
font:.86rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
footer{margin-top:3rem;padding-top:.8rem;border-top:1px solid var(--line);color:var(--dim);font-size:.9rem}
@media print{
:root{color-scheme:light;--ink:#000;--dim:#444;--line:#bbb;--paper:#fff;--soft:#fff;--blue:#1d4f86}
body{max-width:none;padding:0;font-size:10pt}
.wide{display:block}
.narrow{display:none}
nav,details:not([open]){display:none}
section{margin-top:1.6rem}
.table{max-height:none;overflow:visible;border:0}
thead>tr>*{position:static}
thead{display:table-header-group}
tr,.chart,h2{break-inside:avoid}
h2{break-after:avoid}
a{color:inherit;text-decoration:none}
}
"""
