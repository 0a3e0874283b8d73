import { request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import type { Command } from 'commander'
import { z } from 'zod'
import type { Config, ListenerName } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import { brokerAnswers, connectTo } from '../service/own-listener.ts'
import { type Answer, type Answering, forTerminal } from './answer.ts'
import { configured } from './command-context.ts'

/** Longer than `/readyz` itself waits for a part. */
const PATIENCE_MS = 9 * SECOND

const answered = z.looseObject({ status: z.string(), reasons: z.array(z.string()) })

/**
 * `tocsin health`: whether the service on this machine is ready, for container engines and scripts. It asks a listener
 * and opens no database, so it takes nothing from the service.
 */
export function addHealthCommand(program: Command, answering: Answering): void {
  program
    .command('health')
    .description('ask the service on this machine whether it is ready')
    .action(
      answering(async ({ config: file }) => {
        const read = configured(file)
        return 'refused' in read ? read : ask(read.config)
      }),
    )
}

async function ask(config: Config): Promise<Answer> {
  const name = (['http', 'https', 'mqtt', 'mqtts'] as const).find((one) => config[one].port !== 'off')
  if (name === undefined) return { refused: 'every listener is off: there is nothing to ask' }
  if (config[name].port === 0) return { refused: `${name}.port is 0, so only the log of the service names its port` }
  const url = urlOf(name, config)
  try {
    return await (name === 'http' || name === 'https' ? askReadiness(url, name, config) : knock(url, name, config))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { refused: `nothing answers at ${url} (${code ?? message}): is the service running?` }
  }
}

const urlOf = (name: ListenerName, config: Config): string => {
  const { host, port } = config[name]
  return `${name}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The answer of `/readyz`. */
async function askReadiness(url: string, name: 'http' | 'https', config: Config): Promise<Answer> {
  const { status, body } = await get(url, name === 'https', config.http.proxyProtocol)
  const found = answered.safeParse(parsed(body))
  if (!found.success) return { refused: `what answers at ${url} (status ${status}) is not Tocsin` }
  const { reasons } = found.data
  const said = reasons.map(forTerminal)
  if (status === 200) return { json: found.data, text: ['ready', ...said].join('\n') }
  return { refused: ['the service is not ready', ...said], json: found.data }
}

/** Without a listener for HTTP, only the broker can be asked. */
async function knock(url: string, name: 'mqtt' | 'mqtts', config: Config): Promise<Answer> {
  await brokerAnswers({ [name]: url }, config.mqtt.proxyProtocol)
  return {
    json: { status: 'ready', reasons: [] },
    text: 'ready: the broker answers; without http and https, nothing more can be asked',
  }
}

function get(
  url: string,
  secure: boolean,
  proxyProtocol: readonly string[] | null,
): Promise<{ readonly status: number; readonly body: string }> {
  const own = connectTo(url, secure, proxyProtocol)
  let deadline: NodeJS.Timeout | undefined
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    deadline = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / SECOND} s`)), PATIENCE_MS)
    own.onError(reject)
    own.onOpen(() => {
      const asked = request({ path: '/readyz', headers: { host: 'localhost' }, createConnection: () => own.socket })
      asked.once('error', reject)
      asked.once('response', (response) => {
        textOf(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
      })
      asked.end()
    })
  }).finally(() => {
    clearTimeout(deadline)
    own.destroy()
  })
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
