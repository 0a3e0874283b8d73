import type { IconNode } from 'lucide'
import { h } from 'preact'

/** A drawing of lucide (ISC) beside words that say the same: nothing of it is read out. */
export const Icon = ({ of }: { readonly of: IconNode }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {of.map(([tag, attributes]) => h(tag, { key: JSON.stringify(attributes), ...attributes }))}
  </svg>
)
