import { z } from 'zod'

type Json = { readonly [keyword: string]: unknown }

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set(['items', 'not', 'propertyNames'])
const LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
/** Zod's additions to a named schema, and the definitions, which have a place of their own here. */
const DROPPED = new Set(['id', '$id', '$schema', '$defs', 'definitions'])
const DEFINITION = /^#\/(?:\$defs|definitions)\//

/**
 * The schemas of a document: each named one once, under `components.schemas`, and references to it. Objects stay open:
 * clients have to tolerate unknown fields (protocol.md#versions), and no type made of the document takes a misspelt
 * field for one.
 */
export class Shapes {
  readonly schemas: Record<string, Json> = {}
  readonly #target: 'draft-2020-12' | 'draft-7'
  readonly #known = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() }

  constructor(target: 'draft-2020-12' | 'draft-7' = 'draft-2020-12') {
    this.#target = target
  }

  /** The schema, or the reference to it. `io`: as it is sent to the service, or answered. */
  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    const known = this.#known[io].get(schema)
    if (known !== undefined) return known
    const json: Json = z.toJSONSchema(schema, { io, target: this.#target, unrepresentable: 'any' })
    const named = { ...(json.$defs as Json), ...(json.definitions as Json) }
    for (const [name, definition] of Object.entries(named)) this.#define(name, definition as Json)
    const id = z.globalRegistry.get(schema)?.id
    if (id !== undefined && !(id in named)) this.#define(id, json)
    const shape = id === undefined ? open(json) : { $ref: refTo(id) }
    this.#known[io].set(schema, shape)
    return shape
  }

  #define(name: string, json: Json): void {
    const schema = open(json)
    const known = this.schemas[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new TypeError(`two schemas are named ${name}`)
    }
    this.schemas[name] = schema
  }
}

const refTo = (name: string): string => `#/components/schemas/${name}`

function open(json: Json): Json {
  const { additionalProperties, ...rest } = json
  const entries = Object.entries(rest).flatMap(([keyword, value]) => {
    if (DROPPED.has(keyword)) return []
    if (keyword === '$ref') return [[keyword, (value as string).replace(DEFINITION, refTo(''))]]
    if (ONE.has(keyword)) return [[keyword, open(value as Json)]]
    if (LIST.has(keyword)) return [[keyword, (value as Json[]).map(open).filter(isRestricted)]]
    if (keyword === 'properties') return [[keyword, each(value as Json)]]
    return [[keyword, value]]
  })
  const further = furtherOf(additionalProperties, json.properties)
  return Object.fromEntries([...entries, ...(further === undefined ? [] : [['additionalProperties', further]])])
}

const each = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, open(schema as Json)]))

/** An alternative that takes everything says nothing. */
const isRestricted = (schema: Json): boolean => Object.keys(schema).length > 0

/** Entries of a dictionary stay; that an object with known fields may have others goes without saying. */
function furtherOf(additional: unknown, properties: unknown): Json | undefined {
  if (additional === undefined || typeof additional === 'boolean') return undefined
  const schema = open(additional as Json)
  const hasFields = Object.keys((properties as Json | undefined) ?? {}).length > 0
  return isRestricted(schema) || !hasFields ? schema : undefined
}
