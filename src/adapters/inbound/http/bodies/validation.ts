import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { fieldMessage } from '../../../../core/ingest/field-message.ts'
import type { FieldProblem } from '../../../../core/ingest/fields.ts'
import { isJsonObject } from '../../../../core/ingest/json.ts'
import { invalid, RequestProblem } from '../problem.ts'
import { jsonIn } from './json-body.ts'

/** The name of a request part as a whole, for problems that concern all of it. */
const wholePart: Readonly<Record<string, string>> = { body: 'body', querystring: 'query', params: 'path' }

const notUsed = () => {
  throw new TypeError('the application has compilers of its own')
}
/** Otherwise Fastify loads Ajv with every start, although the compilers that we set replace it. */
export const withoutAjv = { compilersFactory: { buildValidator: notUsed, buildSerializer: notUsed } }

/** Validates a request part against its zod schema, and names every bad field by its dotted path. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart = '' }) =>
  (input) => {
    const result = schema.safeParse(input, { error: fieldMessage })
    const problems = [...(httpPart === 'body' ? protoProblem(input) : []), ...fieldProblems(result, httpPart)]
    return problems.length > 0 || !result.success
      ? { error: new RequestProblem(invalid(problems)) }
      : { value: result.data }
  }

/**
 * Only checks that the body is an object. The use case reads alerts and telemetry field by field for both transports;
 * the route's schema is documentation.
 */
export const jsonObject: FastifySchemaCompiler<unknown> = () => (input) =>
  isJsonObject(input)
    ? { value: input }
    : { error: new RequestProblem(invalid([{ field: 'body', message: 'must be a JSON object' }])) }

/** Passes a part on as it was sent. The route reads it in its own way; the schema is documentation. */
export const asSent: FastifySchemaCompiler<unknown> = () => (input) => ({ value: input })

/** As the usual one, of a body that may be left out. One that is there and no JSON object is refused. */
export const objectOrNothing: FastifySchemaCompiler<unknown> = (route) => {
  const validate = validatorCompiler(route as Parameters<typeof validatorCompiler>[0])
  if (route.httpPart !== 'body') return validate
  return (input) => {
    const body = Buffer.isBuffer(input) ? input : Buffer.alloc(0)
    return validate(body.length === 0 ? {} : jsonIn(body))
  }
}

/** The maximum of one append of telemetry (protocol.md#rest). */
export const MAX_ROWS = 1000

/** An array of rows, or an object with such an array under `items`. The use case validates the rows one by one. */
export const rowsOrItems: FastifySchemaCompiler<unknown> = () => (input) => {
  const rows = isJsonObject(input) ? input.items : input
  const field = isJsonObject(input) ? 'items' : 'body'
  const problems = [...protoProblem(input)]
  if (!Array.isArray(rows)) problems.push({ field, message: 'must be an array of telemetry payloads' })
  else if (rows.length > MAX_ROWS) problems.push({ field, message: `must not contain more than ${MAX_ROWS} rows` })
  return problems.length > 0 ? { error: new RequestProblem(invalid(problems)) } : { value: rows }
}

const fieldProblems = (result: z.ZodSafeParseResult<unknown>, httpPart: string): readonly FieldProblem[] =>
  (result.error?.issues ?? []).flatMap((issue) => {
    const { path, message } = issue
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: 'is not a known field' }))
    }
    return [{ field: path.length === 0 ? (wholePart[httpPart] ?? httpPart) : path.join('.'), message }]
  })

/** A key that is only ever sent in an attack. */
const protoProblem = (input: unknown): readonly FieldProblem[] =>
  isJsonObject(input) && Object.hasOwn(input, '__proto__') ? [{ field: '__proto__', message: 'is not allowed' }] : []
