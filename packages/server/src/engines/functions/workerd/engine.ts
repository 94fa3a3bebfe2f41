import type { FunctionsEngine } from '../../../platform/functions-engine.ts'
import type { FunctionsOptions, FunctionsSettings } from '../open.ts'

export declare function openWorkerd(settings: FunctionsSettings, options: FunctionsOptions): FunctionsEngine
