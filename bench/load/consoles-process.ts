import { Agent, get, type IncomingMessage } from 'node:http'
import type { Console, ConsolesOrder, ConsolesReport, Heard } from './consoles.ts'

/* The consoles, which the parent tells when to open. Like the page: first the stream, then the board, and the case. */

const API = '/v1/operator'
const BOARD = `${API}/incidents?state=open&limit=1000`
const INCIDENT = /"incidentId":"([^"]+)".*?"userId":"([^"]+)"/

const agent = new Agent({ keepAlive: true })
const report = (message: ConsolesReport): void => void process.send?.(message)
const epochMs = (): number => performance.timeOrigin + performance.now()

let origin = ''
let consoles: readonly Console[] = []
let heard: Heard[] = []
let caseMs: number[] = []

function request(path: string, { proof }: Console): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${origin}${path}`, { agent, headers: { ...proof } }, (answer) => {
      if (answer.statusCode === 200) resolve(answer)
      else reject(new Error(`${path}: ${answer.statusCode}`))
    }).on('error', reject)
  })
}

/** Milliseconds until the whole answer is here. */
async function read(path: string, one: Console): Promise<number> {
  const began = performance.now()
  for await (const _ of await request(path, one));
  return performance.now() - began
}

const readBoards = async (): Promise<void> =>
  report({ kind: 'boards', boardMs: await Promise.all(consoles.map((one) => read(BOARD, one))) })

/** Follows the events until the process ends. */
async function follow(one: Console): Promise<void> {
  const known = new Set<string>()
  const hear = (event: string, at: number): void => {
    if (event.includes('event: reload')) void read(BOARD, one).catch(fail)
    const [, incidentId, userId] = INCIDENT.exec(event) ?? []
    if (incidentId === undefined || userId === undefined) return
    if (incidentId === one.shows) {
      void read(`${API}/incidents/${incidentId}`, one).then((took) => caseMs.push(took), fail)
    }
    if (known.has(incidentId)) return
    known.add(incidentId)
    heard.push({ userId, incidentId, at })
  }
  const answer = await request(`${API}/events`, one)
  let text = ''
  answer.setEncoding('utf8')
  answer.on('data', (part: string) => {
    const at = epochMs()
    text += part
    const events = text.split('\n\n')
    text = events.pop()!
    for (const event of events) hear(event, at)
  })
  answer.on('close', () => fail(new Error('a stream has ended')))
}

const fail = ({ message }: Error): void => report({ kind: 'failed', reason: message })

async function obey(order: ConsolesOrder): Promise<void> {
  switch (order.kind) {
    case 'open':
      origin = order.origin
      consoles = order.consoles
      await Promise.all(consoles.map(follow))
      return readBoards()
    case 'read boards':
      return readBoards()
    case 'tell':
      report({ kind: 'told', heard, caseMs })
      heard = []
      caseMs = []
      return
    default:
      return order satisfies never
  }
}

process.on('message', (order: ConsolesOrder) => void obey(order).catch(fail))
process.on('disconnect', () => process.exit(0))
