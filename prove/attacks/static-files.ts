import { dial, requestFor, whenOver } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const CONNECTIONS = 3
const REQUESTS = 1500
const LARGE = '/docs/static/swagger-ui-bundle.js'

/** Large files requested and never read. */
export const staticFiles = attackPart({
  name: 'static-files',
  what: `${CONNECTIONS} connections with ${REQUESTS} pipelined requests each for ${LARGE}, and nothing is ever read`,
  async run({ site, over }) {
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => dial(site.http)))
    for (const socket of sockets) {
      socket.pause()
      socket.write(requestFor(LARGE).repeat(REQUESTS))
    }
    await whenOver(over)
    const closed = sockets.filter((socket) => socket.closed).length
    for (const socket of sockets) socket.destroy()
    return closed === 0 ? '' : `${closed} of them were closed`
  },
})
