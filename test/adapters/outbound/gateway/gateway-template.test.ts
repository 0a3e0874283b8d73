import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayMessage, gatewayRequest } from '../../../../src/adapters/outbound/gateway/gateway-template.ts'
import fc, { anyText } from '../../../harness/fast-check.ts'

const message: GatewayMessage = {
  channel: 'sms',
  to: '+4366012345678',
  text: 'SOS: "Mia" & <Jürgen> need\nhelp {to}',
  attemptId: 'i.1',
}
const url = 'http://192.168.1.20:8080/send'

test('without a template the gateway gets the four fields as JSON', () => {
  const request = gatewayRequest({ url, headers: { 'X-Key': 'k' }, template: null }, message)
  assert.deepEqual(request, {
    url,
    headers: { 'x-key': 'k', 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })
})

test('a JSON template stays valid JSON when it is filled in', () => {
  const template = '{ "phoneNumbers": ["{to}"], "textMessage": { "text": "{text}" }, "id": "{attemptId}", "ttl": 600 }'
  const { body, headers } = gatewayRequest({ url, headers: {}, template }, message)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(body), {
    phoneNumbers: [message.to],
    textMessage: { text: message.text },
    id: 'i.1',
    ttl: 600,
  })
})

test('any other template is a form', () => {
  const { body, headers } = gatewayRequest({ url, headers: {}, template: 'number={to}&message={text}' }, message)
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), { number: message.to, message: message.text })
})

test('the operator’s content type decides', () => {
  const xml = gatewayRequest(
    { url, headers: { 'Content-Type': 'text/xml' }, template: '<sms to="{to}">{text}</sms>' },
    message,
  )
  assert.equal(xml.body, '<sms to="+4366012345678">SOS: &#34;Mia&#34; &#38; &#60;Jürgen&#62; need\nhelp {to}</sms>')
  const plain = gatewayRequest({ url, headers: { 'content-type': 'text/plain' }, template: '{text}' }, message)
  assert.equal(plain.body, message.text)
})

test('URL and headers may use the placeholders too', () => {
  const request = gatewayRequest(
    {
      url: 'http://kannel.local:13013/cgi-bin/sendsms?to={to}&text={text}&kind={channel}',
      headers: { 'X-Kannel-To': '{to}', 'X-Text': '{text}' },
      template: '{text}',
    },
    message,
  )
  const { searchParams } = new URL(request.url)
  assert.deepEqual(Object.fromEntries(searchParams), { to: message.to, text: message.text, kind: 'sms' })
  assert.equal(request.headers['x-kannel-to'], message.to)
  assert.match(request.headers['x-text']!, /^[\x20-\x7e]+$/)
  assert.equal(decodeURIComponent(request.headers['x-text']!), message.text)
})

test('no text can break out of its place', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 100 }), (text) => {
      const said = text.toWellFormed()
      const json = gatewayRequest({ url, headers: {}, template: '{"a":"{text}","b":1}' }, { ...message, text })
      assert.deepEqual(JSON.parse(json.body), { a: said, b: 1 })
      const form = gatewayRequest({ url, headers: {}, template: 'a={text}&b=1' }, { ...message, text })
      assert.deepEqual(
        [...new URLSearchParams(form.body)],
        [
          ['a', said],
          ['b', '1'],
        ],
      )
    }),
  )
})
