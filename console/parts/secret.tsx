import { allTexts } from '../state/language.ts'
import { Copy } from './controls.tsx'

/** A secret that the service shows only once. */
export const Secret = ({ secret }: { readonly secret: string }) => (
  <p class="secret" role="status">
    {allTexts.value.settings.secretOnce}
    <br />
    <code>{secret}</code> <Copy text={secret} />
  </p>
)
