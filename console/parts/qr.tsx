import { generate } from 'lean-qr'
import { toSvgSource } from 'lean-qr/extras/svg'

/** A QR code made on this screen: no picture of a secret ever travels. */
export const Qr = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <img
    class="qr"
    alt={label}
    src={`data:image/svg+xml,${encodeURIComponent(toSvgSource(generate(text), { on: 'black', off: 'white' }))}`}
  />
)
