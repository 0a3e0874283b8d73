import { createHash } from 'node:crypto'

/** The whole look of the pages, sent with each: one request less on a bad network. */
export const style = `
:root{color-scheme:light dark;--ground:#fff;--text:#16191d;--quiet:#4d5661;--line:#d9dee4;--card:#f4f6f8;--link:#0b57c2;--alarm:#b3131b;--busy:#8a4b00;--good:#11663a;--over:#46505b}
@media(prefers-color-scheme:dark){:root{--ground:#101317;--text:#f2f4f6;--quiet:#a9b2bd;--line:#343b44;--card:#1a1f25;--link:#8ab8ff;--alarm:#c01f28;--busy:#8f5200;--good:#17713f;--over:#3d4650}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:1.125rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
header{padding:1.5rem 1.25rem 1.4rem;color:#fff;background:var(--over)}
header.alarm{background:var(--alarm)}
header.busy{background:var(--busy)}
header.good{background:var(--good)}
header>*,main{max-width:34rem;margin-left:auto;margin-right:auto}
h1{margin-top:0;margin-bottom:.35rem;font-size:1.95rem;line-height:1.15;font-weight:750}
header p{margin-top:0;margin-bottom:0;font-size:1.15rem}
main{padding:1.25rem}
form{margin:0 0 .75rem}
button,.button{display:block;width:100%;min-height:4rem;padding:.9rem 1rem;border:0;border-radius:.9rem;font:inherit;font-size:1.4rem;font-weight:700;text-align:center;text-decoration:none;color:#fff;background:var(--good);cursor:pointer}
button:active{filter:brightness(.85)}
button:focus-visible,a:focus-visible{outline:3px solid var(--link);outline-offset:3px}
p{margin:0 0 1rem}
.quiet{color:var(--quiet);font-size:1rem}
section{margin:1.25rem 0;padding:1rem 1.1rem;border:1px solid var(--line);border-radius:.9rem;background:var(--card)}
h2{margin:0 0 .4rem;font-size:1rem;font-weight:600;color:var(--quiet)}
.place{margin:0 0 .2rem;font-size:1.45rem;font-weight:700;font-variant-numeric:tabular-nums}
main>:first-child{margin-top:0}
section p{margin:0 0 .6rem}
a{color:var(--link)}
.maps{margin:.4rem 0 0;padding:0;list-style:none}
.maps a{display:block;padding:.75rem 0;border-top:1px solid var(--line);font-weight:600}
.maps li:last-child a{padding-bottom:0}
dl{margin:1.25rem 0}
dt{color:var(--quiet);font-size:1rem}
dd{margin:0 0 .7rem;font-weight:600}
`.trim()

const hash = createHash('sha256').update(style).digest('base64')

/** Nothing but this style, and the form that acknowledges. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every page: the address is a secret and the content private, so neither may be kept, indexed or passed on. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'x-content-type-options': 'nosniff',
}
