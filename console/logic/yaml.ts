const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** As people write it: a word without quotes, which YAML reads as nothing else. */
const isPlain = (text: string): boolean =>
  /^[A-Za-z][\w.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)

const scalarOf = (value: unknown): string =>
  typeof value === 'string' && isPlain(value) ? value : (JSON.stringify(value) ?? 'null')

const inLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (!isMapping(value)) return scalarOf(value)
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${scalarOf(key)}: ${inLine(one)}`)
    .join(', ')} }`
}

/** A mapping as YAML: mappings in blocks, lists in a line. */
export function yamlOf(mapping: Readonly<Record<string, unknown>>, indent = ''): string {
  return Object.entries(mapping)
    .map(([key, value]) =>
      isMapping(value) && Object.keys(value).length > 0
        ? `${indent}${scalarOf(key)}:\n${yamlOf(value, `${indent}  `)}`
        : `${indent}${scalarOf(key)}: ${inLine(value)}`,
    )
    .join('\n')
}
