import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PeopleImport } from '../../console/api/types.ts'
import { idOf } from '../console/items.ts'

type State = { readonly changes: unknown[] }

/** What a file does that has one new person, one who changes, and one wrong line. */
const imported: PeopleImport = {
  ...{ added: 1, changed: 1, unchanged: 3, contactsAdded: 2, contactsChanged: 0, inAlarm: 1, asks: true },
  rows: [
    {
      ...{ line: 2, externalUserId: 'walker-1', name: 'Tom Berger', what: 'new', fields: ['name', 'phone'] },
      ...{ contactsAdded: 1, contactsChanged: 0, inAlarm: false },
      doubts: [{ column: 'contact1Phone', code: 'number_is_own', message: 'own' }],
    },
    {
      ...{ line: 3, externalUserId: 'user-0', name: 'Mia Moser', what: 'changed', fields: ['groups'] },
      ...{ contactsAdded: 1, contactsChanged: 0, inAlarm: true },
      changes: [{ column: 'groups', old: 'Guides', new: 'Wardens, Night' }],
    },
  ],
  rejectedLines: 1,
  rejected: [
    { line: 4, field: 'contact1Phone', message: 'must be an E.164 number such as +4366012345678' },
    { line: 4, field: 'externalUserId', message: 'repeats the one in line 2' },
  ],
}

/** People as administrators change them: `state.changes` has what was asked for. */
export function servePeople(app: FastifyInstance, state: State, user: Readonly<Record<string, unknown>>): void {
  const api = '/v1/operator'
  const note = ({ method, url, body }: FastifyRequest): void =>
    void state.changes.push([method, url.replace(api, ''), body ?? null])
  const refused = (fields: readonly { readonly field: string; readonly message: string }[]) => ({
    error: { code: 'E_OPERATOR_VALIDATION', message: 'Invalid.', fields },
  })
  const phone = [{ field: 'phone', message: 'must be an E.164 number such as +4366012345678' }]
  const isWrong = ({ body }: FastifyRequest): boolean =>
    String((body as { readonly phone?: string } | null)?.phone ?? '+').startsWith('+') === false
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  for (const [method, url] of [
    ['POST', '/applications/:id/users'],
    ['PATCH', '/users/:id'],
    ['POST', '/users/:id/contacts'],
    ['PATCH', '/users/:id/contacts/:contactId'],
    ['DELETE', '/users/:id/contacts/:contactId'],
    ['POST', '/users/:id/contacts/order'],
    ['POST', '/devices/pair'],
  ] as const) {
    app.route({
      method,
      url: api + url,
      async handler(request, reply) {
        if (isWrong(request)) return reply.code(400).send(refused(phone))
        note(request)
        const warnings = [{ code: 'number_twice', field: 'phone', message: 'twice' }]
        return {
          ...user,
          ...(request.body as object),
          id: idOf(9000),
          warnings: url.endsWith('contacts') ? warnings : [],
        }
      },
    })
  }
  let previews = 0
  app.post(`${api}/people/import/preview`, async (request) => {
    note(request)
    previews += 1
    return { ...imported, mark: `m${previews}` }
  })
  app.post<{ Querystring: { readonly preview?: string } }>(`${api}/people/import`, async (request, reply) => {
    note(request)
    if (request.query.preview === 'm2') return imported
    return reply
      .code(409)
      .send({ error: { code: 'E_OPERATOR_CONFLICT', reason: 'people_changed', message: 'Changed.' } })
  })
}
