import { createServer } from 'node:net'
import { Aedes } from 'aedes'

/* Bare Aedes as in its manual: no store, nothing in front, no access control. Sends its port to its parent. */

const broker = await Aedes.createBroker({
  authenticate: (_client, _username, _password, done) => done(null, true),
  authorizePublish: (_client, _packet, done) => done(null),
})
const server = createServer({ noDelay: true }, broker.handle)
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit(0))
