import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { BoundedMap } from '../../../../lib/bounded-map.ts'
import type { WebApp } from '../../../../ports/web-apps.ts'

type Icon = { readonly type: string; readonly bytes: Buffer }

/** Of a page that shows no application yet. */
const NEUTRAL = '#b3131b'
/** 180: for iOS, which reads no manifest. */
const SIZES = [180, 192, 512]
/** A button in a ring, as parts of the width. Launchers cut off everything outside of 0.4. */
const [BUTTON, INNER, OUTER] = [0.2, 0.29, 0.36]
/** Steps between the two colours, which make edges smooth. */
const STEPS = 16

const drawn = new BoundedMap<string, Promise<Buffer>>(24)
const compress = promisify(deflate)

/** The icon of that file name, in the colour of the application. Null: there is none of that name. */
export async function drawIcon(file: string, app: WebApp | null): Promise<Icon | null> {
  const colour = app !== null && /^#[0-9a-f]{6}$/i.test(app.colour) ? app.colour : NEUTRAL
  if (file === 'icon.svg') return { type: 'image/svg+xml', bytes: Buffer.from(svgOf(colour, app?.name ?? '')) }
  const size = Number(/^icon-(\d{1,4})\.png$/.exec(file)?.[1])
  if (!SIZES.includes(size)) return null
  const key = `${colour} ${size}`
  const known = drawn.get(key)
  if (known !== undefined) return { type: 'image/png', bytes: await known }
  const drawing = pngOf(colour, size)
  drawn.set(key, drawing)
  drawing.catch(() => drawn.delete(key))
  return { type: 'image/png', bytes: await drawing }
}

type Rgb = readonly [red: number, green: number, blue: number]

const rgbOf = (colour: string): Rgb => {
  const number = Number.parseInt(colour.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

/** Black or white, whichever is easier to see on it. WCAG 2.2, relative luminance. */
function inkOn([red, green, blue]: Rgb): Rgb {
  const linear = (part: number): number => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  return luminance > 0.179 ? [0, 0, 0] : [255, 255, 255]
}

/** With the first letter of the application's name. */
function svgOf(colour: string, name: string): string {
  const ink = `rgb(${inkOn(rgbOf(colour)).join()})`
  const [letter = ''] = /[\p{L}\p{N}]/u.exec(name.toUpperCase()) ?? []
  const middle =
    letter === ''
      ? `<circle cx="50" cy="50" r="${100 * BUTTON}" fill="${ink}"/>`
      : `<text x="50" y="51" fill="${ink}" font-family="system-ui,sans-serif" font-size="38" font-weight="700" text-anchor="middle" dominant-baseline="central">${letter}</text>`
  const ring = `<circle cx="50" cy="50" r="${50 * (INNER + OUTER)}" fill="none" stroke="${ink}" stroke-width="${100 * (OUTER - INNER)}"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="${colour}"/>${ring}${middle}</svg>`
}

/** With colours by number: a byte a pixel. https://www.w3.org/TR/png-3/ */
async function pngOf(colour: string, size: number): Promise<Buffer> {
  const [ground, ink] = [rgbOf(colour), inkOn(rgbOf(colour))]
  const palette = Array.from({ length: STEPS + 1 }, (_, step) =>
    ground.map((part, at) => Math.round(part + ((ink[at]! - part) * step) / STEPS)),
  )
  const rows = Buffer.alloc((size + 1) * size)
  const middle = size / 2 - 0.5
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const distance = Math.sqrt((x - middle) ** 2 + (y - middle) ** 2) / size
      const edge = Math.max(BUTTON - distance, Math.min(distance - INNER, OUTER - distance)) * size + 0.5
      rows[y * (size + 1) + 1 + x] = Math.round(STEPS * Math.min(1, Math.max(0, edge)))
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(size, 0)
  head.writeUInt32BE(size, 4)
  head.set([8, 3], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', await compress(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(content.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}
