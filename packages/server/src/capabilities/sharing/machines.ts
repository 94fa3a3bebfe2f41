/** Parts of the names of programs that open links without a person (SHR-04). */
const WORDS = [
  // Not the phones named Cubot.
  '(?<!cu)bot',
  'spider',
  'crawl',
  'preview',
  'headless',
  'facebookexternalhit',
  'facebookcatalog',
  'meta-external',
  'whatsapp/',
  'embedly',
  'slurp',
  'scrap',
  'fetch',
  'monitor',
  'uptime',
  'pingdom',
  'statuscake',
  'lighthouse',
  'pagespeed',
  'gtmetrix',
  'phantomjs',
  'puppeteer',
  'playwright',
  'selenium',
  'webdriver',
  'curl/',
  'wget/',
  'python',
  'java/',
  'okhttp',
  'go-http-client',
  'libwww',
  'axios',
  'node',
  'undici',
  'httpclient',
  'ruby',
  'perl',
  'php/',
  'archive',
  'validator',
  'feed',
]
const MACHINE = new RegExp(WORDS.map((word) => word.replaceAll('/', '\\/')).join('|'), 'i')

/**
 * Whether the request is from a program, or from a browser that does not show the page yet. Nothing else about the visitor is
 * checked.
 */
export const isMachine = (userAgent: string, purpose: string): boolean =>
  userAgent.trim() === '' || MACHINE.test(userAgent) || /prefetch|prerender/i.test(purpose)
