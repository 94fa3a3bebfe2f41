import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import { BASE } from '../../route.ts'

const HEIGHT_MIN = 120
const HEIGHT_MAX = 2_000

/**
 * The HTML of a mail, in a page of its own with an opaque origin: it runs no script of the mail, loads nothing, and cannot read the token
 * of the session. That page asks for the HTML when it is ready, and reports its height.
 */
export function MailFrame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(HEIGHT_MIN)
  // Before the frame is loaded.
  useLayoutEffect(() => {
    const receive = ({ source, data }: MessageEvent<unknown>) => {
      const mailPage = frame.current?.contentWindow
      if (!mailPage || source !== mailPage) return
      // An opaque origin has no name.
      if (data === 'ready') mailPage.postMessage(html, '*')
      else if (typeof data === 'number') setHeight(Math.min(Math.max(data, HEIGHT_MIN), HEIGHT_MAX))
    }
    addEventListener('message', receive)
    return () => removeEventListener('message', receive)
  }, [html])
  return (
    <iframe
      ref={frame}
      class="mail-frame"
      title="The email as HTML"
      src={`${BASE}/mail-frame`}
      sandbox="allow-scripts"
      style={{ height: `${height}px` }}
    />
  )
}
