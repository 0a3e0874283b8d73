import { ArrowLeft } from 'lucide'
import type { Children } from './blocks.tsx'
import { Icon } from './icon.tsx'

/** The way up: to the list or the page that this one was opened from. */
export const Back = ({ to, children }: Children & { readonly to: string }) => (
  <a href={to} class="back">
    <Icon of={ArrowLeft} /> {children}
  </a>
)
