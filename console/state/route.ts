import { signal } from '@preact/signals'
import { routeOf } from '../logic/route.ts'

export const route = signal(routeOf(location.hash))
addEventListener('hashchange', () => {
  route.value = routeOf(location.hash)
  scrollTo(0, 0)
})
