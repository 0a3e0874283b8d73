import type { z } from 'zod'

/** The names of value types in refusals. */
type KindNames = Readonly<Record<string, string>>

const jsonKinds: KindNames = {
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 date-time such as 2026-01-31T12:00:00Z',
  email: 'an email address',
  url: 'an address that begins with http:// or https://',
  uuid: 'a UUID',
}

/**
 * The problem with a field, as the end of a sentence that begins with the field's name. Pass it to zod as `error`: it
 * words the problems for which the schema has no message of its own. `kinds`: other type names, if the input is not
 * JSON.
 */
export function fieldMessage(issue: z.core.$ZodRawIssue, kinds: KindNames = jsonKinds): string {
  switch (issue.code) {
    case 'invalid_type':
      if ((issue.input ?? null) === null) return 'is required'
      return `must be ${kinds[issue.expected] ?? jsonKinds[issue.expected] ?? issue.expected}`
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`
    case 'invalid_format':
      return formats[issue.format] === undefined ? 'has the wrong format' : `must be ${formats[issue.format]}`
    case 'invalid_union':
      return issue.inclusive !== false && issue.options !== undefined
        ? `must be ${oneOf(issue.options.map(String))}`
        : eitherOf(issue.errors)
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'is not valid'
    default:
      return issue satisfies never
  }
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  // The limit is that of a double's exact integers.
  if (origin === 'int') return 'is out of range'
  if (origin === 'array') return `must have ${relation} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  if (origin === 'string' && limit === 1) return 'must not be empty'
  return origin === 'string' ? `must be ${relation} ${limit} characters long` : `must be ${relation} ${limit}`
}

const oneOf = (values: readonly string[]): string => (values.length === 1 ? values[0]! : `one of ${values.join(', ')}`)

const MUST_BE = 'must be '

/**
 * The message for a value that fits none of several types. It omits problems inside them: the intended type is unknown.
 */
function eitherOf(forms: readonly (readonly z.core.$ZodIssue[])[]): string {
  const messages = forms.map(([issue]) => (issue?.path.length === 0 ? issue.message : ''))
  if (messages.some((message) => !message.startsWith(MUST_BE))) return 'is not valid'
  return MUST_BE + [...new Set(messages.map((message) => message.slice(MUST_BE.length)))].join(' or ')
}
