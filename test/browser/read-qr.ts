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
    return { width: image.width, height: image.height, rgba: Array.from(data) }
  })()`)
  return decodeQR({ width, height, data: Uint8ClampedArray.from(rgba) })
}

type Pixels = { readonly width: number; readonly height: number; readonly rgba: readonly number[] }
