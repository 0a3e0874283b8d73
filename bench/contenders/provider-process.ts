import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/*
 * Accepts SMS through Twilio's interface, answering each after a delay in milliseconds (first argument). Sends its port
 * to its parent and, on request, the messages received since the last request.
 */

const answerMs = Number(process.argv[2])
let got: { readonly to: string; readonly text: string; readonly at: number }[] = []

const server = createServer(async (request, response) => {
  const at = Date.now()
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
  const to = form.get('To')
  await wait(answerMs)
  const date = new Date().toUTCString()
  const isCreated = request.method === 'POST' && request.url?.endsWith('/Messages.json') === true && to !== null
  if (isCreated) got.push({ to, text: form.get('Body') ?? '', at })
  const sid = `SM${randomBytes(16).toString('hex')}`
  const answer = isCreated ? { sid, status: 'queued', date_created: date, error_code: null } : { code: 20404 }
  response.writeHead(isCreated ? 201 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => {
  process.send?.({ got })
  got = []
})
process.on('disconnect', () => process.exit(0))
