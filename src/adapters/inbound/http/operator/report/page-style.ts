import { createHash } from 'node:crypto'

/** Of the page to print. Its policy allows this style and nothing else. */
export const reportStyle = `
body{font:11pt/1.4 system-ui,sans-serif;color:#000;background:#fff;max-width:60rem;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .25rem}
h2{font-size:1.125rem;margin:1.5rem 0 .5rem;border-bottom:1px solid #000}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.125rem 1rem;margin:.5rem 0}
dt{color:#444}
dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .5rem .25rem 0;border-bottom:1px solid #bbb;overflow-wrap:break-word}
td:first-child,.contacts td:nth-child(2){white-space:nowrap}
.contacts td:first-child{white-space:normal}
dd,td{font-variant-numeric:tabular-nums}
td.text{white-space:pre-wrap}
footer{margin-top:1.5rem;color:#444}
@media print{body{margin:0;max-width:none;font-size:10pt}h2{break-after:avoid}tr{break-inside:avoid}thead{display:table-header-group}}
`.trim()

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(reportStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const reportHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
