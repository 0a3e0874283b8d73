import type { FastifyInstance, RouteOptions } from 'fastify'
import { stringify } from 'yaml'
import { inSteps } from '../../../../lib/in-steps.ts'
import { onDemand } from '../../../../lib/on-demand.ts'
import type { OpenApiDocument, Readership } from './openapi.ts'

/** The interface descriptions, as text. */
export type Documents = {
  openApi(): Promise<string>
  openApiYaml(): Promise<string>
  openApiOperator(): Promise<string>
  openApiBroker(): Promise<string>
  asyncApi(): Promise<string>
}

/** Derived from the routes, which are the same for every site of a process with the same of these parts. */
const made = new Map<string, Documents>()
const parted = ['operator', 'trackers', 'lorawan', 'providerCallbacks'] as const

/**
 * The documents of the routes registered after this call. Each is made on its first request, in pieces, with code that
 * is only loaded then: together they take nearly as long as the rest of a start, and few sites ever ask.
 */
export function documentsOf(
  app: FastifyInstance,
  parts: Readonly<Partial<Record<(typeof parted)[number], unknown>>>,
): Documents {
  const routes: RouteOptions[] = []
  // The route, not its schema: the hooks of a family replace that later.
  app.addHook('onRoute', (route) => void routes.push(route))
  const variant = parted.filter((name) => parts[name] != null).join()
  const known = made.get(variant)
  if (known !== undefined) return known
  const of = async (reader: Readership) =>
    (await import('./openapi.ts')).openApiOf(
      routes.filter((route) => readersOf(route).includes(reader)),
      reader,
    )
  const forApps = onDemand(() => of('apps'))
  const documents: Documents = {
    openApi: onDemand(async () => JSON.stringify(await forApps())),
    openApiYaml: onDemand(async () => yamlOf(await forApps())),
    openApiOperator: onDemand(async () => JSON.stringify(await of('operator'))),
    openApiBroker: onDemand(async () => JSON.stringify(await of('broker'))),
    asyncApi: onDemand(async () => JSON.stringify((await import('./asyncapi.ts')).asyncApi())),
  }
  made.set(variant, documents)
  return documents
}

/**
 * The readers of a route. Routes without a family are for machines that an operator connects; health is for apps too.
 */
function readersOf({ config = {} }: RouteOptions): readonly Readership[] {
  if (config.upkeep) return ['apps', 'operator']
  switch (config.family) {
    case undefined:
    case 'OPERATOR':
      return ['operator']
    case 'MQTT':
      return ['broker']
    default:
      return ['apps']
  }
}

/** The document as YAML, made in pieces: all of it at once would hold up an alarm. */
async function yamlOf({ paths, components: { schemas, ...security }, ...rest }: OpenApiDocument): Promise<string> {
  const pieces = [yaml({ ...rest, components: security })]
  for (const [keys, parts] of [
    [['components', 'schemas'], schemas],
    [['paths'], paths],
  ] as const) {
    pieces.push(`${'  '.repeat(keys.length - 1)}${keys.at(-1)}:\n`)
    await inSteps(Object.entries(parts), (part) => pieces.push(yamlBelow(keys, Object.fromEntries([part]))))
  }
  return pieces.join('')
}

// Aliases would be shorter, but not every YAML reader supports them.
const yaml = (part: object): string => stringify(part, { aliasDuplicateObjects: false })

/** The lines of a part that stands below these keys, without those of the keys. */
const yamlBelow = (keys: readonly string[], part: object): string =>
  yaml(keys.reduceRight((below, key) => ({ [key]: below }), part))
    .split('\n')
    .slice(keys.length)
    .join('\n')
