import { type Static, Type } from 'typebox'

import { FEATURES, type FeatureName, PROVIDERS, type Provider } from '../common/features.ts'
import { LIMITS } from '../common/limits.ts'
import { LEADERBOARD_PERIODS } from '../leaderboard-periods.ts'
import {
  Choice,
  Color,
  DeploymentPath,
  Handle,
  Hashtag,
  Key,
  Section,
  Switch,
  Text,
  Tool,
  Url,
  WholeNumber,
} from './fields.ts'

/**
 * The config document (`svc.config.json`), one per environment. Descriptions and defaults reach editors through
 * `svc.config.schema.json`; what a schema cannot say (duplicates, URLs, zones) is in `rules.ts`.
 * A `title` names what the keys of an object are, for the message about an unknown one.
 */

const Features = Section(
  Object.fromEntries(
    Object.entries(FEATURES).map(([name, { title, requires }]) => [
      name,
      Switch(requires ? `${title}; requires ${requires}` : title),
    ]),
  ) as Record<FeatureName, ReturnType<typeof Switch>>,
  { title: 'feature', description: 'Enabled features; all are off by default' },
)

const Leaderboard = Section(
  {
    periods: Type.Optional(
      Type.Array(Type.Enum([...LEADERBOARD_PERIODS]), {
        maxItems: LEADERBOARD_PERIODS.length,
        default: ['allTime'],
        description: 'Which periods have a leaderboard; each adds a little work to a report',
      }),
    ),
    order: Type.Optional(
      Type.Enum(['desc', 'asc'], {
        description:
          'desc: the highest value is first; asc: the lowest. asc by default if aggregation is min, otherwise desc',
      }),
    ),
    verifiedOnly: Switch(
      'Show only values that your server has approved; requires features.statsVerification and a webhook',
    ),
  },
  { description: 'Ranks the players by this stat' },
)

const Stat = Section({
  key: Key('The name that reports use'),
  title: Text('What players see'),
  aggregation: Choice(['sum', 'max', 'min', 'latest'], 'sum', 'How reports combine within a period'),
  maxPerSubmit: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Highest value accepted in one report' }),
  ),
  source: Choice(
    ['player', 'server'],
    'player',
    'server: only your server can report it; reports from players are rejected with server_only',
  ),
  leaderboard: Type.Optional(Leaderboard),
})

const ModeRoom = Section(
  {
    class: Type.String({
      pattern: '^[A-Za-z_$][A-Za-z0-9_$]{0,63}$',
      patternErrorMessage: 'must be the name of a class',
      description: 'The class that the functions export; it extends Room of @svc/sdk/room',
    }),
    finishMinutes: WholeNumber(
      0,
      LIMITS.roomFinishMinutesMax,
      LIMITS.roomFinishMinutesByDefault,
      'How long a room keeps its version after a deploy; then its state moves to the new one',
    ),
    keepDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.roomKeepDaysMax,
        description: 'Keeps a room without connected players for this many days, for turn-based games',
      }),
    ),
  },
  { description: 'Runs code of your functions in the rooms of this mode; the code decides' },
)

const Mode = Section({
  key: Key('The name that quick match uses'),
  title: Text('What players see'),
  minPlayers: WholeNumber(1, 64, 2, 'Number of waiting players at which quick match starts'),
  maxPlayers: WholeNumber(1, 64, 4, 'Maximum players in a room; not less than minPlayers'),
  fillTimeoutSeconds: WholeNumber(
    0,
    300,
    15,
    'Start with fewer players, even one, after this many seconds; 0: never',
  ),
  gatherSeconds: WholeNumber(
    0,
    60,
    0,
    'How long quick match waits for more players after `minPlayers` are waiting; a full match starts at once',
  ),
  backfillSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description:
        'How long quick match adds players to a started match; if omitted, until it is locked; 0: only while it is below minPlayers',
    }),
  ),
  transport: Choice(['server', 'p2p'], 'server', 'p2p: players exchange messages directly'),
  room: Type.Optional(ModeRoom),
  p2p: Type.Optional(
    Section({
      maxPlayers: WholeNumber(2, 8, 4, 'Size of the mesh: caps maxPlayers of the mode'),
      relayOnly: Type.Optional(
        Type.Boolean({
          default: true,
          description: "Route everyone through a relay, so that players never see each other's IP address",
        }),
      ),
    }),
  ),
})

const PROVIDER_NEEDS: Record<Provider, string> = {
  google: 'an OAuth client',
  discord: 'an OAuth client',
  apple: 'Services ID, Team ID, Key ID and private key',
  x: 'Client ID and Secret of your app',
}

const Auth = Section({
  redirectUrls: Type.Optional(
    Type.Array(Url('An exact URL (any query), or one that ends in * for a path prefix'), {
      maxItems: LIMITS.configRedirectUrlsMax,
      default: [],
      description:
        'Allowed redirect URLs for email links and external sign-in; hosted URLs, and localhost in development, are always allowed',
    }),
  ),
  providers: Type.Optional(
    Section(
      Object.fromEntries(
        PROVIDERS.map((name) => [
          name,
          Tool(`Sign-in with ${name}; needs ${PROVIDER_NEEDS[name]}, stored by: svc providers set ${name}`),
        ]),
      ) as Record<Provider, ReturnType<typeof Tool>>,
      {
        title: 'provider',
        description:
          'External sign-in providers. Do not put credentials in this file; store them with the CLI or the API',
      },
    ),
  ),
})

const Web = Section({
  allowedOrigins: Type.Optional(
    Type.Array(
      Url('An origin without a path: https://*.example.com, http://localhost:5173, capacitor://localhost'),
      {
        maxItems: LIMITS.configAllowedOriginsMax,
        default: [],
        description:
          'Origins that can call the API; empty allows all. The hosted URL, and localhost in development, are always allowed',
      },
    ),
  ),
})

const Share = Section(
  {
    images: Type.Optional(
      Section({
        enabled: Switch('Render card images of 1200x600'),
        title: Text('Name of the app on the card', 60),
        background: DeploymentPath('Background of the card: a PNG or JPEG in the deployment, up to 2 MB'),
        font: DeploymentPath(
          'Font of the card: a TTF or OTF in the deployment, up to 10 MB; the built-in font is Latin only',
        ),
        theme: Type.Optional(
          Section({
            background: Color('#0f1115', 'Background color'),
            accent: Color('#ffcc33', 'Color of the score'),
            text: Color('#ffffff', 'Color of the text'),
          }),
        ),
      }),
    ),
    tags: Type.Optional(
      Section({
        enabled: Switch('No longer used: the service adds no tags to pages'),
        title: Text('Title of the card'),
        description: Text('Description of the card'),
        imageAlt: Text('Alternative text for the image'),
        image: Type.Optional(
          Url('A fixed card image: a path in the deployment or an https URL; otherwise the rendered card'),
        ),
        site: Handle("The app's account"),
      }),
    ),
    links: Type.Optional(
      Section({
        enabled: Switch('Issue share links and restore challenges'),
        text: Text('Default text of a post; {score} stands for the score', 200),
        hashtags: Type.Optional(
          Type.Array(Hashtag, { maxItems: 5, default: [], description: 'With or without the leading #' }),
        ),
        via: Handle('The account named in a post'),
      }),
    ),
    tracking: Tool('Count visits, new players and plays per share link, as totals only'),
    inAppBrowser: Tool('Let a guest continue as the same guest in another browser'),
  },
  { title: 'share tool', description: 'Sharing on a social network; everything is off by default' },
)

const StatRule = Section({
  stat: Type.String({ description: 'Key of a stat defined in stats' }),
  min: Type.Optional(Type.Number({ description: 'Smallest value accepted' })),
  max: Type.Optional(Type.Number({ description: 'Largest value accepted' })),
})

const Integrity = Section({
  stats: Type.Optional(
    Section({
      rules: Type.Optional(
        Type.Array(StatRule, {
          maxItems: LIMITS.configStatRulesMax,
          default: [],
          description: 'Allowed values per stat; active while features.statsVerification is on',
        }),
      ),
      maxSubmitsPerMinute: WholeNumber(1, 600, 60, 'Reports per player per minute'),
      webhook: Type.Optional(
        Section({
          url: Type.Optional(
            Url(
              'https URL of your server that approves reports; http on localhost in development. /.fn/<path> calls your own functions, in every environment',
            ),
          ),
          timeoutMs: WholeNumber(100, 5000, 1500, 'How long your server can take'),
          onFailure: Choice(['accept', 'reject'], 'accept', 'What happens while your server is down or slow'),
        }),
      ),
    }),
  ),
})

/** The schema and type of svc.config.json. */
export type ConfigDocument = Static<typeof ConfigDocument>
/** Every section is optional: `{}` is valid (CFG-03). Unknown keys are rejected, except `$schema` (CFG-04). */
export const ConfigDocument = Section(
  {
    $schema: Type.Optional(Type.String({ description: 'For editors; ignored by the service' })),
    version: Type.Optional(Type.Literal(1, { default: 1, description: 'Format of this document' })),
    resetTimeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        default: 'UTC',
        description: 'IANA time zone in which the days, weeks and months of stats start',
      }),
    ),
    audience: Choice(
      ['general', 'mixed', 'kids'],
      'general',
      'kids treats every player as under 13; mixed treats players of unknown age as children until they declare an age',
    ),
    features: Type.Optional(Features),
    stats: Type.Optional(
      Type.Array(Stat, {
        maxItems: LIMITS.configStatsMax,
        default: [],
        description: 'Numbers that players report',
      }),
    ),
    multiplayer: Type.Optional(
      Section({
        modes: Type.Optional(
          Type.Array(Mode, {
            maxItems: LIMITS.configModesMax,
            description: 'If there are no modes, the mode `default` with 2 to 8 players is used',
          }),
        ),
      }),
    ),
    auth: Type.Optional(Auth),
    web: Type.Optional(Web),
    share: Type.Optional(Share),
    integrity: Type.Optional(Integrity),
    svcNews: Type.Optional(
      Section({
        optIn: Type.Optional(
          Type.Boolean({
            default: true,
            description: 'The news box of email sign-up screens; never shown while audience is kids',
          }),
        ),
      }),
    ),
  },
  { description: 'svc.config.json' },
)
