import { signal } from '@preact/signals'

/** A phone: as in the style sheets. */
const query = matchMedia('(max-width: 46rem)')

export const narrow = signal(query.matches)
query.addEventListener('change', ({ matches }) => {
  narrow.value = matches
})
