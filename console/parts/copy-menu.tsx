import { Copy } from 'lucide'
import { useRef, useState } from 'preact/hooks'
import { texts } from '../state/language.ts'
import { Icon } from './icon.tsx'

/** One button that offers several forms of the same. Browsers copy only for pages over https:// and of this machine. */
export function CopyMenu({ forms, of }: { readonly forms: readonly string[]; readonly of: string }) {
  const t = texts.value
  const menu = useRef<HTMLDetailsElement>(null)
  const [copied, tell] = useState<string | null>(null)
  const [isOpen, open] = useState(false)
  if (navigator.clipboard === undefined) return null
  const copy = async (form: string): Promise<void> => {
    await navigator.clipboard.writeText(form)
    tell(form)
    menu.current?.removeAttribute('open')
    menu.current?.querySelector('summary')?.focus()
  }
  return (
    <details
      ref={menu}
      class="copy-menu"
      onToggle={(event) => open(event.currentTarget.open)}
      onKeyDown={(event) => event.key === 'Escape' && menu.current?.removeAttribute('open')}
    >
      <summary class="button small" aria-label={`${t.copy}: ${of}`}>
        <Icon of={Copy} /> {copied === null ? t.copy : t.copied}
      </summary>
      <div class="menu">
        {isOpen &&
          forms.map((form) => (
            <button key={form} type="button" onClick={() => void copy(form)}>
              {form}
            </button>
          ))}
      </div>
    </details>
  )
}
