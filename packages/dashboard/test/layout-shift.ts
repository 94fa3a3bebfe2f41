import type { BrowserContext, Page } from 'playwright-core'

/** What browsers call good: above it, people click on what was elsewhere a moment before. */
export const LAYOUT_SHIFT_MAX = 0.1

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** A context as on a phone, whose pages count from their start how far their parts move. */
export async function phoneContext(
  newContext: (options: typeof PHONE) => Promise<BrowserContext>,
): Promise<BrowserContext> {
  const context = await newContext(PHONE)
  await context.addInitScript(() => {
    const counter = { shift: 0, moved: [] as string[] }
    const count = (entries: PerformanceEntryList) => {
      for (const entry of entries as LayoutShift[]) {
        if (entry.hadRecentInput) continue
        counter.shift += entry.value
        for (const { node } of entry.sources)
          if (node instanceof Element) counter.moved.push(`${node.localName}.${node.className}`)
      }
    }
    const observer = new PerformanceObserver((list) => count(list.getEntries()))
    observer.observe({ type: 'layout-shift' })
    Object.assign(globalThis, { layoutShift: () => (count(observer.takeRecords()), counter) })
  })
  return context
}

/** How far the parts of a page have moved since its start, and which ones; waits for the fonts and for what is being drawn. */
export const layoutShiftOf = (page: Page): Promise<{ shift: number; moved: string[] }> =>
  page.evaluate(async () => {
    await document.fonts.ready
    for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve))
    return (globalThis as unknown as { layoutShift(): { shift: number; moved: string[] } }).layoutShift()
  })

type LayoutShift = PerformanceEntry & {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null }[]
}
