import { toLatLon } from 'utm';
import { type Place, placeOf } from './choices.js';

/**
 * Reads a place: latitude and longitude in degrees (44.12, -122.03), in degrees, minutes and seconds (44 7 12 N,
 * 122 1 48 W; 44° 7.2′ N 122° 1.8′ W), or UTM (10T 577600 4885700), also in parentheses and with the minus sign of
 * typesetting. Null for any other text. Degrees are read with the longitude first (-122.03, 44.12) if they are only then
 * a place.
 */
export function placeIn(written: string): Place | null {
  const text = written
    .replaceAll('\u2212', '-')
    .replaceAll(/^[\s(]+|[\s)]+$/g, '')
    .toUpperCase();
  const parts = text.split(/[\s,;]+/);
  const inDegrees = parts.length === 2 ? (placeOf(parts) ?? placeOf(parts.toReversed())) : null;
  return inDegrees ?? placeInMinutes(text) ?? placeInUtm(text);
}

const ANGLE_TEXT = /^[\d\s.,;:°º'’′"”″NSEW+-]+$/;
/** Two angles with their letters in front or behind, or latitude and longitude separated by a comma or semicolon. */
const HALVES = [
  /^([NSEW][^NSEW]+)([NSEW][^NSEW]+)$/,
  /^([^NSEW]+[NSEW])([^NSEW]+[NSEW])$/,
  /^([^NSEW,;]+)[,;]([^NSEW,;]+)$/,
] as const;

function placeInMinutes(text: string): Place | null {
  if (!ANGLE_TEXT.test(text)) return null;
  const [, ...halves] = HALVES.map((each) => each.exec(text)).find((found) => found !== null) ?? [];
  if (/[EW]/.test(halves[0] ?? '')) halves.reverse();
  const [latitude, longitude] = halves;
  if (latitude === undefined || longitude === undefined) return null;
  if (/[EW]/.test(latitude) || /[NS]/.test(longitude)) return null; // two of one kind
  return placeOf([latitude, longitude].map((half) => String(degreesOf(half))));
}

/** An angle of one to three numbers in degrees; NaN where minutes or seconds are 60 or more. */
function degreesOf(half: string): number {
  const [degrees = Number.NaN, ...parts] = (half.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  if (parts.length > 2 || parts.some((part) => part >= 60)) return Number.NaN;
  const [minutes = 0, seconds = 0] = parts;
  const isNegative = /[SW]|^\s*-/.test(half);
  return (isNegative ? -1 : 1) * (degrees + minutes / 60 + seconds / 3600);
}

/** Zone, with or without its band, easting and northing in metres; north of the equator. A GPS writes 7 digits of each. */
const UTM =
  /^(?:UTM\s*)?(?:ZONE\s*)?(\d{1,2})\s*([N-X])?[\s,]+0?(\d{6}(?:\.\d+)?)\s*M?E?[\s,]+(\d{7}(?:\.\d+)?)\s*M?N?$/;

function placeInUtm(text: string): Place | null {
  const [, zone, , easting, northing] = UTM.exec(text) ?? [];
  if (zone === undefined) return null;
  try {
    return toLatLon(Number(easting), Number(northing), Number(zone), undefined, true);
  } catch {
    return null; // a zone, easting or northing that does not exist
  }
}
