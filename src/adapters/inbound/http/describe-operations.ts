import { operations } from './operations.ts'
import { errorCodeOf, type FamilyName, type ProblemKind } from './problem.ts'

/** The parts of an OpenAPI document that are used here. */
type Media = { schema?: unknown; example?: unknown }
type Content = Record<string, Media>
type Described = {
  operationId?: string
  description?: string
  parameters?: { name: string; example?: unknown }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
export type OpenApiDocument = { paths: Record<string, Record<string, Described>> }

/** What a status means unless an operation says otherwise. */
const statuses: Readonly<Record<string, { readonly description: string; readonly kind?: ProblemKind }>> = {
  '200': { description: 'Done' },
  '201': { description: 'Created' },
  '202': { description: 'Accepted and stored on disk' },
  '204': { description: 'Done. The response has no body' },
  '400': { description: 'The request is malformed or has invalid fields, listed in `fields`', kind: 'VALIDATION' },
  '401': { description: 'The credentials are missing or invalid. The reason is not given', kind: 'UNAUTHORIZED' },
  '403': { description: 'Denied', kind: 'FORBIDDEN' },
  '404': { description: 'Not found, or it belongs to another user', kind: 'NOT_FOUND' },
  '409': { description: 'A limit has been reached, or it belongs to another user', kind: 'CONFLICT' },
  '413': { description: 'The body is too large', kind: 'TOO_LARGE' },
  '415': { description: 'The body is not JSON in UTF-8', kind: 'UNSUPPORTED_MEDIA' },
  '429': { description: 'Too many requests. Wait for the number of seconds in `Retry-After`', kind: 'RATE_LIMITED' },
  '503': {
    description: 'The request could not be stored. Retry after the number of seconds in `Retry-After`',
    kind: 'UNAVAILABLE',
  },
}
/** Where they mean something else in the operator API. */
const operatorStatuses: typeof statuses = {
  '401': { description: 'Not signed in: the session or token is unknown or has ended', kind: 'UNAUTHORIZED' },
  '403': { description: 'The role does not allow it, or another site sent it; `reason` says which', kind: 'FORBIDDEN' },
  '404': { description: 'Not found, or of an application that the caller does not work for', kind: 'NOT_FOUND' },
  '409': { description: 'Someone else was first, or a limit has been reached; `reason` says which', kind: 'CONFLICT' },
}
const DEFAULT_DESCRIPTION = 'Default Response'

/**
 * Adds the id, description and examples to every operation, in place. What the route says of itself comes last. Throws
 * if an operation has no description.
 */
export function describeOperations(document: OpenApiDocument): void {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      const said = operations[name]
      if (said === undefined) throw new TypeError(`${name} has no description`)
      operation.operationId = said.operationId
      const { description: onTheRoute } = operation
      operation.description = onTheRoute === undefined ? said.description : `${said.description} ${onTheRoute}`
      for (const parameter of operation.parameters ?? []) parameter.example = said.parameters?.[parameter.name]
      setExample(operation.requestBody?.content, said.body)
      for (const [status, response] of Object.entries(operation.responses)) {
        const meant = (said.family === 'OPERATOR' ? operatorStatuses[status] : undefined) ?? statuses[status]
        const { description = DEFAULT_DESCRIPTION, kind } = meant ?? {}
        if (response.description === DEFAULT_DESCRIPTION) response.description = description
        setExample(response.content, said.answers?.[status] ?? (kind && errorExample(said.family, kind, description)))
      }
    }
  }
}

function setExample(content: Content | undefined, example: unknown): void {
  for (const media of Object.values(content ?? {})) media.example = example
}

const errorExample = (family: FamilyName | null, kind: ProblemKind, message: string) => ({
  error: {
    // Of the two reasons for a 409, the contact limit is the more likely.
    code: errorCodeOf(family, kind === 'CONFLICT' && family === 'CONTACTS' ? 'LIMIT' : kind),
    message: `${message}.`,
    requestId: '5f2b8c1e-7a44-4d0b-9c3e-1f6a2b7d8e90',
    ...(kind === 'VALIDATION' && { fields: [{ field: 'timestamp', message: 'is required' }] }),
  },
})
