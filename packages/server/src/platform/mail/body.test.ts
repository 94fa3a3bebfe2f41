import assert from 'node:assert/strict'
import { test } from 'node:test'

import { mailBody } from './body.ts'

const url = 'https://example.com/verify?a=1&b="2"#svc_token=abc'

test('a mail has the same content in plain text and in HTML', () => {
  const { text, html } = mailBody({
    language: 'de',
    title: 'Confirm your address',
    paragraphs: ['Hello.', 'The link works once.'],
    button: { label: 'Confirm', url },
    footer: 'You can ignore this mail.',
  })
  assert.equal(
    text,
    `Confirm your address\n\nHello.\n\nThe link works once.\n\nConfirm:\n${url}\n\n-- \nYou can ignore this mail.\n`,
  )
  for (const part of [
    'Confirm your address',
    'Hello.',
    'The link works once.',
    'You can ignore this mail.',
  ]) {
    assert.ok(html.includes(part), part)
  }
  assert.ok(html.includes('href="https://example.com/verify?a=1&amp;b=&quot;2&quot;#svc_token=abc"'))
  assert.ok(html.includes('prefers-color-scheme: dark'))
  assert.match(html, /^<!doctype html>\n<html lang="de">/)
})

test('button and footer may be left out', () => {
  const { text, html } = mailBody({ language: 'en', title: 'Hello', paragraphs: ['World'] })
  assert.equal(text, 'Hello\n\nWorld\n')
  assert.doesNotMatch(html, /<a |undefined/)
})

test('everything is escaped, and nothing is loaded from elsewhere', () => {
  const hostile = `<img src=x onerror="alert('1')">&`
  const { html } = mailBody({
    language: hostile,
    title: hostile,
    paragraphs: [hostile],
    button: { label: hostile, url: `https://example.com/${hostile}` },
    footer: hostile,
  })
  assert.doesNotMatch(html, /<img|<script|<link|url\(|onerror="/)
  assert.equal(html.split('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;').length - 1, 8)
})
