import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'

/** The text of the QR code with this label, read from a picture of the page as it is drawn. */
export async function qrIn(page: Page, label: string): Promise<string> {
  const picture = await page.getByAltText(label, { exact: true }).screenshot({ scale: 'device' })
  const { width, height, rgba } = await page.evaluate<Pixels>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${picture.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, image.width, image.height)
    // As text: a list of a million numbers takes both sides a second of processor time.
    const rgba = btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''))
    return { width: image.width, height: image.height, rgba }
  })()`)
  return decodeQR({ width, height, data: Uint8ClampedArray.from(Buffer.from(rgba, 'base64')) })
}

/** `rgba`: four bytes a pixel, as base64. */
type Pixels = { readonly width: number; readonly height: number; readonly rgba: string }
