import { createInterface } from 'node:readline'
import mqtt from 'mqtt'

/** What many apps begin with: MQTT.js with its defaults. A control: `examples/check` has to find what it lacks. */

const env = process.env
const client = mqtt.connect(`mqtts://${env.TOCSIN_MQTT_HOST}:${env.TOCSIN_MQTT_PORT}`, {
  username: `sdk:${env.TOCSIN_APP_ID}:${env.TOCSIN_USER_ID}`,
  password: env.TOCSIN_USER_HASH!,
  clientId: `svc_${env.TOCSIN_APP_ID}_${env.TOCSIN_USER_ID}`,
})
client.on('error', ({ message }) => console.log(message))
for await (const line of createInterface(process.stdin)) {
  const [command, ...rest] = line.split(' ')
  const alert = { timestamp: new Date().toISOString(), ...JSON.parse(rest.join(' ') || '{}') }
  if (command === 'press')
    client.publish(`sos/alerts/${env.TOCSIN_SDK_USER_ID}`, JSON.stringify(alert), { qos: 1 }, (error) =>
      console.log(error ? error.message : 'on the server'),
    )
  if (command === 'cancel') {
    const headers = {
      'X-App-ID': env.TOCSIN_APP_ID!,
      'X-User-ID': env.TOCSIN_USER_ID!,
      Authorization: `Bearer ${env.TOCSIN_USER_HASH}`,
    }
    await fetch(`${env.TOCSIN_URL}/v1/sdk/sos/cancel`, { method: 'POST', headers }).catch(({ message }) =>
      console.log(message),
    )
  }
}
