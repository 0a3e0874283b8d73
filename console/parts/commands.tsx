import { allTexts } from '../state/language.ts'
import { Copy } from './controls.tsx'

const Command = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <div class="command">
    <span class="quiet">
      {title} <Copy text={text} />
    </span>
    <code>{text}</code>
  </div>
)

/** The same without this page: on the server, or from anywhere by a script. */
export function Commands({ command, request }: { readonly command: string; readonly request: string }) {
  const t = allTexts.value.start
  return (
    <details class="commands">
      <summary>{t.otherwise}</summary>
      <Command title={t.byCommand} text={command} />
      <Command title={t.byRequest} text={request} />
    </details>
  )
}
