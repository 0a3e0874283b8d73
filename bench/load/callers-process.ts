import type { Called, CallOrder } from './callers.ts'
import { plain, secure } from './dial.ts'

/* One address that connects at a steady rate, with a full TLS handshake where it is TLS, and says nothing. */

const TICK_MS = 10
/** Beyond that the machine cannot keep up, and the rate is what it can. */
const MAX_PENDING = 500

let began = performance.now()
let [made, failed, pending] = [0, 0, 0]
let timer: NodeJS.Timeout | null = null

function call({ port, isSecure }: CallOrder): void {
  const socket = (isSecure ? secure : plain)(port)
  pending += 1
  let isMade = false
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    isMade = true
    made += 1
    socket.destroy()
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    pending -= 1
    if (!isMade) failed += 1
  })
}

function callAll(order: CallOrder): void {
  began = performance.now()
  let calls = 0
  timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * order.perSecond
    for (; calls < due && pending < MAX_PENDING; calls += 1) call(order)
    calls = Math.max(calls, Math.floor(due) - MAX_PENDING)
  }, TICK_MS)
}

process.on('message', (order: CallOrder | 'stop') => {
  if (order !== 'stop') return callAll(order)
  if (timer !== null) clearInterval(timer)
  process.send?.({ seconds: (performance.now() - began) / 1000, made, failed } satisfies Called)
})
process.on('disconnect', () => process.exit(0))
