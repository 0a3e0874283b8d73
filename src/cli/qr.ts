import { generate } from 'lean-qr'

/** Modules of white around a code, which scanners need. */
const QUIET = 2
/** Two modules, one above the other, in one character: light modules are drawn, for terminals are dark. */
const blocks = ['█', '▄', '▀', ' '] as const

/** A QR code to scan from a terminal with light text on a dark ground. */
export function qrText(text: string): string {
  const code = generate(text)
  const lines: string[] = []
  for (let y = -QUIET; y < code.size + QUIET; y += 2) {
    let line = ''
    for (let x = -QUIET; x < code.size + QUIET; x += 1) {
      line += blocks[(code.get(x, y) ? 2 : 0) + (code.get(x, y + 1) ? 1 : 0)]
    }
    lines.push(line)
  }
  return lines.join('\n')
}
