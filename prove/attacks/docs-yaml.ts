import { closedOr, dial, requestFor } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const REQUESTS = 1500
const MAX_CONNECTIONS = 20

/** A document that would be expensive to generate for every request, requested without pause and without a login. */
export const docsYaml = attackPart({
  name: 'docs-yaml',
  what: `${REQUESTS} pipelined requests for /docs/yaml on one connection, and again when it is closed`,
  async run({ site, over }) {
    const requests = requestFor('/docs/yaml').repeat(REQUESTS)
    let connections = 0
    let bytes = 0
    while (!over.aborted && connections < MAX_CONNECTIONS) {
      const socket = await dial(site.http)
      connections += 1
      socket.on('data', (chunk) => {
        bytes += chunk.length
      })
      socket.write(requests)
      await closedOr(socket, over)
      socket.destroy()
    }
    return `${connections} connections, ${(bytes / 1e6).toFixed(1)} MB of answers`
  },
})
