import { createHash } from 'node:crypto'
import { fallbackScript, liveScript } from './script.ts'

/**
 * Each colour in light and in dark mode, of the console's palette (console/style/tokens.css). White text is readable
 * on both variants of `alarm`, `busy`, `good`, `over` and `call`.
 */
const colours = {
  ground: ['#edf1f5', '#0d141b'],
  text: ['#15202b', '#e4ebf1'],
  quiet: ['#4b5a69', '#9dafbf'],
  line: ['#dae1e8', '#273542'],
  card: ['#fff', '#162029'],
  link: ['#1c5585', '#8cbbe4'],
  alarm: ['#b5301a', '#b5301a'],
  busy: ['#87500a', '#87500a'],
  good: ['#17643f', '#17643f'],
  over: ['#46535f', '#46535f'],
  call: ['#1f4a70', '#2c5f8d'],
  old: ['#b5301a', '#ff9173'],
} as const

const variables = (which: 0 | 1): string =>
  Object.entries(colours)
    .map(([name, pair]) => `--${name}:${pair[which]}`)
    .join(';')

/**
 * The plain colour first: phones without CSS variables ignore the second declaration, and would otherwise show white on
 * white.
 */
const paint = (property: string, name: keyof typeof colours, before = ''): string =>
  `${property}:${before}${colours[name][0]};${property}:${before}var(--${name})`

/** The whole style of the pages, sent inline: one request less on a bad network. */
export const style = `
:root{color-scheme:light dark;${variables(0)}}
@media(prefers-color-scheme:dark){:root{${variables(1)}}}
*{box-sizing:border-box}
body{margin:0;${paint('background', 'ground')};${paint('color', 'text')};font:1.125rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
header{color:#fff;${paint('background', 'over')}}
header.alarm{${paint('background', 'alarm')}}
header.busy{${paint('background', 'busy')}}
header.good{${paint('background', 'good')}}
header div,main{max-width:36rem;margin:0 auto;padding:1.25rem}
h1{margin:.125rem 0 .25rem;font-size:1.75rem;font-size:clamp(1.5rem,8vw,1.75rem);line-height:1.15;font-weight:750;-webkit-hyphens:auto;hyphens:auto;text-wrap:balance}
p{margin:0 0 1rem;text-wrap:pretty}
header p{margin:0 0 .125rem;font-size:1.125rem}
header .drill{margin:0 0 .75rem;padding:.75rem;border:2px solid #fff;background:#5a3aa3;font-weight:650}
header .when{margin-top:.5rem;font-size:1rem}
.line{margin:0;padding:.75rem 1.25rem;text-align:center;font-weight:650;${paint('border-bottom', 'line', '1px solid ')};${paint('background', 'card')}}
[hidden]{display:none}
form{margin:0 0 .75rem}
fieldset{min-width:0;margin:0 0 .5rem;padding:0;border:0}
legend{padding:0 0 .5rem;font-size:1.25rem;font-weight:700}
.times{display:flex;flex-wrap:wrap;margin:0 -.25rem}
.times button{flex:1 1 40%;width:auto;margin:.25rem;min-height:3.5rem;padding:.5rem .25rem;font-size:1.25rem}
#calling{min-height:3.5rem;font-size:1.25rem}
#unable,#stranger,#start,[id^="show-"],.copy{${paint('color', 'text')};${paint('background', 'card')};${paint('border', 'quiet', '1px solid ')}}
#unable,#stranger,#start,[id^="show-"]{min-height:3.25rem;font-size:1.125rem;font-weight:600}
#still{margin-bottom:1rem}
.sending button{opacity:.6}
summary{padding:1rem 0;cursor:pointer;font-weight:650;${paint('color', 'link')}}
button,.button{display:block;width:100%;min-height:3.25rem;padding:.75rem 1rem;border:0;border-radius:1rem;font:inherit;font-size:1.125rem;line-height:1.25;font-weight:700;text-align:center;text-decoration:none;color:#fff;${paint('background', 'call')};cursor:pointer}
button{min-height:4.25rem;font-size:1.25rem;${paint('background', 'good')}}
button:active,.button:active{filter:brightness(.85)}
button:focus-visible,a:focus-visible,summary:focus-visible{${paint('outline', 'link', '3px solid ')};outline-offset:3px}
.quiet{${paint('color', 'quiet')};font-size:1rem}
.calls{margin:1rem 0 .5rem}
.calls .button{margin:0 0 .5rem}
.button.emergency{${paint('background', 'alarm')}}
section{margin:1.25rem 0;padding:1rem;border-radius:1rem;box-shadow:0 1px 3px rgba(21,32,43,.12);${paint('background', 'card')}}
section p{margin:0 0 .5rem}
h2{margin:0 0 .5rem;font-size:1rem;font-weight:600;${paint('color', 'quiet')}}
.place{margin:0 0 .25rem;font-size:1.25rem;font-weight:700;font-variant-numeric:tabular-nums}
.age{font-size:1.25rem;font-weight:700}
.old .age{${paint('color', 'old')}}
.old .place{${paint('color', 'quiet')};font-weight:600}
h3{margin:1rem 0 .25rem;font-size:1rem;font-weight:600;${paint('color', 'quiet')}}
.read{margin:0 0 .5rem;padding:0;list-style:none}
.with-copy span{flex:1 1 11rem}
.with-copy{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem}
.read li{padding:.25rem 0;font-variant-numeric:tabular-nums}
.copy{flex:none;width:auto;min-height:2.75rem;padding:.25rem .75rem;font-size:1rem;font-weight:600}
#map{height:17rem;margin:.25rem 0 1rem;overflow:hidden;isolation:isolate;border-radius:.5rem;${paint('background', 'line')}}
main>:first-child{margin-top:0}
a{${paint('color', 'link')}}
.maps{margin:.75rem 0 0;padding:0;list-style:none}
.maps li a:not(.button){display:block;padding:.75rem 0;font-weight:600}
.maps li+li+li a{${paint('border-top', 'line', '1px solid ')}}

#say{max-width:36rem;margin:0 auto;padding:0 1.25rem 1.25rem}
main #say{padding:0}
label{display:block;margin:0 0 .5rem;font-weight:650}
textarea{display:block;width:100%;margin:0 0 .5rem;padding:.5rem .75rem;border-radius:.5rem;font:inherit;${paint('color', 'text')};${paint('background', 'ground')};${paint('border', 'quiet', '1px solid ')}}
textarea:focus-visible{${paint('outline', 'link', '3px solid ')};outline-offset:1px}
#say-it{min-height:3.25rem;font-size:1.125rem;margin:0 0 .5rem}
.talk{margin:0;padding:0;list-style:none}
.talk li{padding:.5rem 0;${paint('border-bottom', 'line', '1px solid ')}}
.talk small{${paint('color', 'quiet')};font-size:1rem}
.talk p{margin:.125rem 0 0;white-space:pre-line}
#talk a{display:block;padding:.75rem 0;font-weight:650}
.doubt{${paint('color', 'old')};font-weight:650}
dl{margin:1.25rem 0}
dt{${paint('color', 'quiet')};font-size:1rem}
dd{margin:0 0 .75rem;font-weight:600}
section dl{margin:0}
.written{white-space:pre-line}
@media(min-width:30rem){h1{font-size:2rem}.place{font-size:1.5rem}.calls{display:flex;margin:1rem -.25rem .5rem}.calls .button{display:flex;align-items:center;justify-content:center;flex:1 1 0;margin:0 .25rem;width:auto}}
`.trim()

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

type Sources = { readonly style: string; readonly script: string; readonly images: string }

const policyOf = ({ style, script, images }: Sources): string =>
  [
    "default-src 'none'",
    `style-src ${style}`,
    `script-src ${script}`,
    `img-src ${images}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Allows only this style, our two scripts, their requests to this service, and the answer forms. */
const plain: Sources = {
  style: hashOf(style),
  script: `${hashOf(fallbackScript)} ${hashOf(liveScript)}`,
  images: "'none'",
}

/**
 * Headers of every page. The address is secret and the content private, so neither may be cached, indexed or passed on.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyOf(plain),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'x-content-type-options': 'nosniff',
}

/** The same for a page with a script other than ours. */
export const headersWithScript = (script: string): Readonly<Record<string, string>> => ({
  ...pageHeaders,
  'content-security-policy': policyOf({ ...plain, script: hashOf(script) }),
})

/** The same with a map: its files from this host, and its tiles from there (`imageOrigins`). */
export function mapHeaders(imageOrigins: readonly string[]): Readonly<Record<string, string>> {
  const style = `${plain.style} 'self'`
  const script = `${plain.script} 'self'`
  const images = ["'self'", 'data:', ...imageOrigins].join(' ')
  return { ...pageHeaders, 'content-security-policy': policyOf({ style, script, images }) }
}
