type Added = Readonly<Record<string, string>>;

/**
 * Attributes that separate series of different places if all else is equal: two `Inlet` of two boards of one server,
 * two sensors of one name. A place keeps its attributes while it is read, so that a series of a live feed does not
 * change its name when another place starts or stops answering.
 */
export class SeriesPlaces {
  /** By series and place. */
  private before: ReadonlyMap<string, Added> = new Map();
  private now = new Map<string, Added>();
  /** By series, of both readings. */
  private places = new Map<string, PlaceSet>();

  /**
   * @param place address of the resource or member that reports it
   * @param rivals places that are about to report the same series
   * @returns attributes to add; none for the only or first place of the series
   */
  apart(series: string, place: string, rivals?: PlaceSet): Added {
    return this.known(series, place) ?? this.record(series, place, added(place, this.places.get(series), rivals));
  }

  /** The same if several places may report one series while they agree: nothing is added. */
  together(series: string, place: string): Added {
    return this.known(series, place) ?? this.record(series, place, {});
  }

  /** They disagree. @returns attributes to add from now on; undefined if no other place reports the series */
  separate(series: string, place: string): Added | undefined {
    const what = added(place, this.places.get(series));
    return Object.keys(what).length === 0 ? undefined : this.record(series, place, what);
  }

  /** A poll is over: places that it did not contain are forgotten, so that the size stays within one tree. */
  forgetOthers(): void {
    this.before = this.now;
    this.now = new Map();
    this.places = new Map();
    for (const key of this.before.keys()) {
      const cut = key.lastIndexOf('\n');
      this.remember(key.slice(0, cut), key.slice(cut + 1));
    }
  }

  private known(series: string, place: string): Added | undefined {
    const key = `${series}\n${place}`;
    const known = this.now.get(key) ?? this.before.get(key);
    if (known) this.now.set(key, known);
    return known;
  }

  private record(series: string, place: string, what: Added): Added {
    this.now.set(`${series}\n${place}`, what);
    this.remember(series, place);
    return what;
  }

  private remember(series: string, place: string): void {
    const places = this.places.get(series) ?? new PlaceSet();
    places.add(place);
    this.places.set(series, places);
  }
}

/** Places that report the same series, each once. */
export class PlaceSet {
  private readonly all = new Set<string>();
  private readonly byContainer = new Map<string, number>();

  add(place: string): void {
    if (this.all.has(place)) return;
    this.all.add(place);
    const container = String(containerOf(place));
    this.byContainer.set(container, (this.byContainer.get(container) ?? 0) + 1);
  }

  hasOthers(place: string): boolean {
    return this.all.size > Number(this.all.has(place));
  }

  /** In the same chassis or system. */
  hasNeighbours(place: string): boolean {
    return (this.byContainer.get(String(containerOf(place))) ?? 0) > Number(this.all.has(place));
  }
}

function added(place: string, ...rivals: readonly (PlaceSet | undefined)[]): Added {
  if (!rivals.some((places) => places?.hasOthers(place))) return {};
  const container = containerOf(place);
  const within = container ? { [container[0]]: container[1] } : {};
  const isAlone = container !== undefined && !rivals.some((places) => places?.hasNeighbours(place));
  return isAlone ? within : { ...within, member: memberOf(place) };
}

const CONTAINER = /^\/redfish\/v1\/(Chassis|Systems|Managers|PowerEquipment\/\w+)\/([^/#]+)[/#]*/;
const kinds: Readonly<Record<string, string>> = { Chassis: 'chassis', Systems: 'system', Managers: 'manager' };

/** The chassis or system that an address lies in, as an attribute: `chassis`, `Sled2`; undefined if none. */
function containerOf(place: string): readonly [kind: string, name: string] | undefined {
  const [, collection = '', name = ''] = CONTAINER.exec(place) ?? [];
  return name === '' ? undefined : [kinds[collection] ?? 'equipment', name];
}

/** The address below its container: `Thermal#/Temperatures/3`. */
const memberOf = (place: string): string => place.replace(CONTAINER, '').replace(/^\/redfish\/v1\//, '');
