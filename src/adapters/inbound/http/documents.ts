import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { asyncApi } from './asyncapi.ts'
import { describeOperations } from './describe-operations.ts'
import type { Documents } from './docs-page.ts'
import { tolerant } from './openapi.ts'

/** Derived from the routes, which are the same for every site of a process. */
let made: Documents | null = null

/** The documents of this interface. Made once per process, before listening, because it takes a tenth of a second. */
export function documentsOf(app: FastifyInstance): Documents {
  if (made === null) {
    const document = JSON.parse(JSON.stringify(app.swagger(), tolerant))
    describeOperations(document)
    // Aliases would be shorter, but not every YAML reader supports them.
    const openApiYaml = stringify(document, { aliasDuplicateObjects: false })
    made = { openApi: JSON.stringify(document), openApiYaml, asyncApi: JSON.stringify(asyncApi()) }
  }
  return made
}
