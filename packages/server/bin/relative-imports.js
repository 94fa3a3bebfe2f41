import { registerHooks } from 'node:module'

/** Ends of file names that Node imports as they are. */
const FORMATS = { '.ts': 'module-typescript', '.mjs': 'module', '.js': undefined }

/**
 * An import with a relative path and an extension names its file. Node looks it up nevertheless, in every file that imports it: 4,000
 * times at the start of the service, a fifth of its CPU time.
 */
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !context.conditions.includes('import')) return next(specifier, context)
    const extension = specifier.slice(specifier.lastIndexOf('.'))
    if (!(extension in FORMATS)) return next(specifier, context)
    const { href: url } = new URL(specifier, context.parentURL)
    return { url, format: FORMATS[extension], shortCircuit: true }
  },
})
