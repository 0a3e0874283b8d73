import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { boundedCsv, csvLine, readCsv } from '../../src/lib/csv.ts'
import fc from '../harness/fast-check.ts'

const record = (line: number, ...fields: readonly string[]) => ({ line, fields })

suite('CSV, RFC 4180', () => {
  const cases: readonly [name: string, text: string, records: ReturnType<typeof readCsv>][] = [
    ['nothing', '', []],
    ['a last line without a line break', 'a,b', [record(1, 'a', 'b')]],
    ['lines that end in LF', 'a,b\nc,d\n', [record(1, 'a', 'b'), record(2, 'c', 'd')]],
    ['lines that end in CRLF', 'a,b\r\nc,d\r\n', [record(1, 'a', 'b'), record(2, 'c', 'd')]],
    ['lines that end in CR alone', 'a\rb', [record(1, 'a'), record(2, 'b')]],
    ['a byte order mark', '\uFEFFa,b', [record(1, 'a', 'b')]],
    ['empty lines count as lines but not as records', 'a\n\n\r\nb', [record(1, 'a'), record(4, 'b')]],
    ['empty fields', ',\n"",', [record(1, '', ''), record(2, '', '')]],
    ['spaces are part of a field', ' a , b', [record(1, ' a ', ' b')]],
    ['quotes around a comma', '"a,b",c', [record(1, 'a,b', 'c')]],
    ['doubled quotes', '"say ""x""",""""', [record(1, 'say "x"', '"')]],
    ['a line break inside quotes', '"a\r\nb",c\nd', [record(1, 'a\r\nb', 'c'), record(3, 'd')]],
  ]
  for (const [name, text, records] of cases) test(name, () => assert.deepEqual(readCsv(text), records))

  test('a file of a spreadsheet whose decimal sign is a comma has semicolons', () => {
    assert.deepEqual(boundedCsv('a;b\n"x;y";1,5\n', 9), [record(1, 'a', 'b'), record(2, 'x;y', '1,5')])
    assert.deepEqual(boundedCsv('a\tb', 9), [record(1, 'a', 'b')])
    assert.deepEqual(boundedCsv('\uFEFF\r\n\r\na;b', 9), [record(3, 'a', 'b')])
    assert.deepEqual(boundedCsv('a,b;c,d', 9), [record(1, 'a', 'b;c', 'd')])
  })

  test('too many lines and too many fields are found before they cost anything', () => {
    assert.deepEqual([boundedCsv('a\nb\n', 2)?.length, boundedCsv('a\r\nb\rc', 2)], [2, null])
    assert.deepEqual(readCsv(`${','.repeat(2000)}\na`), [
      { line: 1, malformed: 'has too many fields' },
      { line: 2, fields: ['a'] },
    ])
  })

  test('bad quotes cost only their own line', () => {
    for (const bad of ['"a', 'a"b', '"a"b,c', 'x,"']) {
      const [first, ...rest] = readCsv(`${bad}\nc,d\n"e"`)
      assert.ok(first !== undefined && 'malformed' in first && first.line === 1, bad)
      assert.deepEqual(rest, [record(2, 'c', 'd'), record(3, 'e')], bad)
    }
  })

  test('what is written with every field quoted is read back', () => {
    const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'ü') })
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        const text = rows.map((row) => row.map(quoted).join(',')).join('\r\n')
        assert.deepEqual(
          readCsv(text).map((each) => ('fields' in each ? each.fields : each.malformed)),
          rows,
        )
      }),
    )
  })

  test('any text is read to its end, with its lines in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n') }), (text) => {
        const lines = readCsv(text).map((each) => each.line)
        assert.ok(lines.every((line, at) => at === 0 || line > lines[at - 1]!))
      }),
    )
  })
})

suite('writing CSV', () => {
  test('what it writes is read back, numbers and nothing included', () => {
    const fields = ['a', 'b,c', 'say "hi"', 'two\r\nlines', '', null, -12.5, true] as const
    assert.equal(csvLine(fields), 'a,"b,c","say ""hi""","two\r\nlines",,,-12.5,true\r\n')
    const [record] = readCsv(csvLine(fields))
    assert.deepEqual(record, { line: 1, fields: ['a', 'b,c', 'say "hi"', 'two\r\nlines', '', '', '-12.5', 'true'] })
  })

  test('no text becomes a formula of a spreadsheet', () => {
    for (const text of ['=1+1', '+43660', '-1', '@SUM(A1)', '\tx', ' =1', '＝1', '=A("http://x")']) {
      const [record] = readCsv(csvLine([text]))
      assert.deepEqual(record && 'fields' in record && record.fields, [`'${text}`], text)
    }
    // Where the decimal sign is a comma, spreadsheets part cells at semicolons, whatever stands in quotes.
    assert.equal(csvLine(['a;=1+1;b']), "a;'=1+1;b\r\n")
    assert.equal(csvLine(['a; "@A(1)']), `"a;' ""@A(1)"\r\n`)
    assert.equal(csvLine(['\t=1', 'a;\t"=1', 'a;;=1']), `'\t'=1,"a;'\t""'=1",a;;'=1\r\n`)
    assert.equal(csvLine(['\r=1', '\n=1']), `"'\r'=1","'\n'=1"\r\n`)
    assert.equal(csvLine(['a\n+1', 'b\t-1', 'c;d']), '"a\n\'+1",b\t\'-1,c;d\r\n')
    assert.equal(csvLine(['Ana-Maria', '1-2', "'quoted'"]), "Ana-Maria,1-2,'quoted'\r\n")
  })
})
