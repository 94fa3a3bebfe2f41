/** The body of every mail: simple, without brand or images, readable on a phone, in light or dark colours as the reader has set. */
export type MailContent = {
  /** Language tag of the text: a screen reader reads it aloud in this language. */
  language: string
  title: string
  paragraphs: string[]
  button?: { label: string; url: string }
  footer?: string
  /** At the very end: the link to unsubscribe. */
  footerLink?: { label: string; url: string }
}

/** Both forms of a mail, with the same content. All texts are escaped in the HTML. */
export const mailBody = (content: MailContent): { text: string; html: string } => ({
  text: textOf(content),
  html: htmlOf(content),
})

/** A mail to a developer, who has no environment. */
export type DeveloperMail<Kind extends string> = {
  kind: Kind
  environment: null
  to: string
  subject: string
  text: string
  html: string
}

/** A mail to a developer, in English; its title is also its subject. */
export const developerMail = <Kind extends string>(
  kind: Kind,
  to: string,
  content: Omit<MailContent, 'language'>,
): DeveloperMail<Kind> => ({
  kind,
  environment: null,
  to,
  subject: content.title,
  ...mailBody({ language: 'en', ...content }),
})

function textOf({ title, paragraphs, button, footer, footerLink }: MailContent): string {
  const blocks = [title, ...paragraphs]
  if (button) blocks.push(`${button.label}:\n${button.url}`)
  if (footer) blocks.push(`-- \n${footer}`)
  if (footerLink) blocks.push(`${footerLink.label}:\n${footerLink.url}`)
  return `${blocks.join('\n\n')}\n`
}

/** Mail programs may remove style sheets, so the required styles are on the elements; the sheet only adds the dark colours. */
function htmlOf({ language, title, paragraphs, button, footer, footerLink }: MailContent): string {
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>
:root { color-scheme: light dark }
@media (prefers-color-scheme: dark) {
  body, .page { background: #16181c !important; color: #e8eaed !important }
  .quiet { color: #9aa0a6 !important }
  .button { background: #e8eaed !important; color: #16181c !important }
}
</style>
</head>
<body class="page" style="margin: 0; background: #ffffff; color: #202124">
<div class="page" style="max-width: 480px; margin: 0 auto; padding: 32px 20px; background: #ffffff; color: #202124; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere">
<h1 style="margin: 0 0 16px; font-size: 22px; line-height: 1.3">${escaped(title)}</h1>
${paragraphs.map((paragraph) => `<p style="margin: 0 0 16px">${escaped(paragraph)}</p>`).join('\n')}
${button ? buttonOf(button) : ''}
${footer ? `<p class="quiet" style="margin: 32px 0 0; font-size: 13px; color: #5f6368">${escaped(footer)}</p>` : ''}
${footerLink ? `<p class="quiet" style="margin: 8px 0 0; font-size: 13px; color: #5f6368"><a class="quiet" href="${escaped(footerLink.url)}" style="color: #5f6368">${escaped(footerLink.label)}</a></p>` : ''}
</div>
</body>
</html>
`
}

/** The URL is shown too: some programs remove links, and a reader may want to see where a link leads. */
const buttonOf = ({ label, url }: { label: string; url: string }) =>
  `<p style="margin: 24px 0"><a class="button" href="${escaped(url)}" style="display: inline-block; padding: 12px 20px; border-radius: 8px; background: #202124; color: #ffffff; font-weight: 600; text-decoration: none">${escaped(label)}</a></p>
<p class="quiet" style="margin: 0 0 16px; font-size: 13px; color: #5f6368">${escaped(url)}</p>`

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '')
