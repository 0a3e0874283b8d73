import type { FastifyReply } from 'fastify'
import { Html, html } from '../tracking/html.ts'
import { pageHeaders, style } from '../tracking/style.ts'

const page = (docs: boolean): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<title>Emergency alerts</title>
<style>${new Html(style)}</style>
</head>
<body>
<header><h1>Emergency alerts</h1><p>This is a Tocsin server. It receives SOS alerts from apps and trackers and notifies the people who can help.</p></header>
<main>
<p>If someone&rsquo;s life is in danger, call the emergency services first.</p>
<p><strong>Did you get a text message?</strong> Open the complete link in it. This page is only the beginning of that address and doesn&rsquo;t show any alerts.</p>
<p><strong>Do you need help yourself?</strong> Use your app or tracker. You can&rsquo;t raise an alarm on this page.</p>
${docs ? html`<p class="quiet">For developers: <a href="/docs">how to connect an app</a>.</p>` : null}
</main>
</body>
</html>
`.text

const texts = { on: page(true), off: page(false) }

/**
 * `/`: says what this host is, for visitors who shortened a link or are just looking. It reveals neither details of the
 * site nor the version.
 */
export const sendFrontPage = (reply: FastifyReply, docs: boolean): FastifyReply =>
  reply.headers(pageHeaders).send(texts[docs ? 'on' : 'off'])
