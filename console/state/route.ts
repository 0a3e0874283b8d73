import { signal } from '@preact/signals'
import { routeOf } from '../logic/route.ts'
import { leaving } from './leaving.ts'

export const route = signal(routeOf(location.hash))
let shown = location.hash
addEventListener('hashchange', () => {
  if (leaving.held?.(location.hash)) {
    history.replaceState(null, '', shown === '' ? '#/' : shown)
    return
  }
  shown = location.hash
  route.value = routeOf(location.hash)
  scrollTo(0, 0)
})
