/** Options for `svc.share.offerBrowser`. */
export type OfferOptions = {
  /** Language tag such as `pt-BR` (default: the browser's language). */
  language?: string
}

type Link = { url: string; leavingUrl: string }
type Texts = { offer: string; go: string; help: string; copy: string; copied: string; close: string }

/**
 * A bar at the lower edge of the page: "Continue in your browser". Apps may ignore a URL that opens another browser, so after the
 * first click the link can also be copied.
 */
export function showOffer(
  page: Window,
  linkOf: () => Promise<Link>,
  signal: AbortSignal,
  { language = page.navigator.language }: OfferOptions = {},
) {
  const { document } = page
  const texts = TEXTS.get(language.split('-', 1)[0]?.toLowerCase() ?? '') ?? en
  document.querySelector('.svc-offer')?.remove()

  const bar = document.createElement('aside')
  bar.className = 'svc-offer'
  bar.style.cssText = STYLE
  const text = document.createElement('span')
  text.style.flex = '1 1 12rem'
  text.textContent = texts.offer
  text.setAttribute('role', 'status')
  const go = button(texts.go, async () => {
    go.disabled = true
    const link = await linkOf()
    page.location.href = link.leavingUrl
    text.textContent = texts.help
    const copy = button(texts.copy, async () => {
      // If copying fails, or the browser does not respond, the link can be selected.
      text.textContent = link.url
      await page.navigator.clipboard.writeText(link.url)
      text.textContent = texts.copied
    })
    go.replaceWith(copy)
  })
  const close = button('✕', async () => bar.remove())
  close.setAttribute('aria-label', texts.close)
  bar.append(text, go, close)
  document.body.append(bar)
  signal.addEventListener('abort', () => bar.remove())

  function button(label: string, press: () => Promise<void>): HTMLButtonElement {
    const made = document.createElement('button')
    made.type = 'button'
    made.style.cssText = BUTTON_STYLE
    made.textContent = label
    // After a failure it can be clicked again.
    made.onclick = () => void press().catch(() => (made.disabled = false))
    return made
  }
}

const STYLE = `position:fixed;inset:auto 0 0;z-index:2147483647;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;
box-sizing:border-box;padding:.75rem 1rem calc(.75rem + env(safe-area-inset-bottom));font:1rem/1.4 system-ui,sans-serif;
color:#fff;background:#1a1f25;box-shadow:0 0 1rem rgb(0 0 0/.4);overflow-wrap:anywhere;user-select:text`
const BUTTON_STYLE = `font:inherit;font-weight:600;min-height:2.75rem;padding:.25rem 1rem;border:0;border-radius:.5rem;
color:#1a1f25;background:#fff;cursor:pointer`

const en: Texts = {
  offer: 'You are in the browser of another app.',
  go: 'Continue in your browser',
  help: 'Nothing happened? Copy the link and open it in your browser.',
  copy: 'Copy link',
  copied: 'Copied. Paste it into your browser within 10 minutes.',
  close: 'Close',
}
const TEXTS = new Map<string, Texts>([
  ['en', en],
  [
    'ja',
    {
      offer: '別のアプリ内のブラウザで開いています。',
      go: 'ブラウザで続ける',
      help: '開かない場合は、リンクをコピーしてブラウザで開いてください。',
      copy: 'リンクをコピー',
      copied: 'コピーしました。10分以内にブラウザに貼り付けてください。',
      close: '閉じる',
    },
  ],
  [
    'de',
    {
      offer: 'Du bist im Browser einer anderen App.',
      go: 'Im eigenen Browser weiter',
      help: 'Nichts passiert? Kopiere den Link und öffne ihn in deinem Browser.',
      copy: 'Link kopieren',
      copied: 'Kopiert. Füge ihn innerhalb von 10 Minuten in deinem Browser ein.',
      close: 'Schließen',
    },
  ],
  [
    'es',
    {
      offer: 'Estás en el navegador de otra aplicación.',
      go: 'Continuar en tu navegador',
      help: '¿No pasó nada? Copia el enlace y ábrelo en tu navegador.',
      copy: 'Copiar enlace',
      copied: 'Copiado. Pégalo en tu navegador antes de 10 minutos.',
      close: 'Cerrar',
    },
  ],
  [
    'pt',
    {
      offer: 'Você está no navegador de outro aplicativo.',
      go: 'Continuar no seu navegador',
      help: 'Nada aconteceu? Copie o link e abra no seu navegador.',
      copy: 'Copiar link',
      copied: 'Copiado. Cole no seu navegador em até 10 minutos.',
      close: 'Fechar',
    },
  ],
  [
    'zh',
    {
      offer: '您正在使用其他应用内的浏览器。',
      go: '在浏览器中继续',
      help: '没有反应？请复制链接并在浏览器中打开。',
      copy: '复制链接',
      copied: '已复制。请在 10 分钟内粘贴到浏览器中。',
      close: '关闭',
    },
  ],
])
