import { signal } from '@preact/signals'

function matching(query: string) {
  const found = matchMedia(query)
  const is = signal(found.matches)
  found.addEventListener('change', ({ matches }) => {
    is.value = matches
  })
  return is
}

/** A phone: as in the style sheets. */
export const narrow = matching('(max-width: 46rem)')
/** The smallest phones, which have no room for words beside a head. */
export const tiny = matching('(max-width: 24rem)')
