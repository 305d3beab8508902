// Lists the writes of transactions before they run: their functions run on what is known, and zeros. Needs placed_versions.cuh.

// A transaction whose writes are listed. The status is not final: what a run that ends early has not run is not committed.
constexpr stm_status STM_IS_FORESEEN = STM_POSTPONED;
// One that is not listed, because its end or its accesses were not those that the first listing took for granted. It may end at its turn,
// without an effect. In push order it must.
constexpr stm_status STM_IS_REFUSED = STM_CONFLICT;

// Takes the place of `stm_tx` to find the writes of a listing.
template <class F, bool LATE>
struct stm_foresight : stm_tx_base {
  const stm_versions<false>* versions;
  const stm_versions<true>* late_versions;
  const u32* sorted;  // in the second listing, the places of the first one
  u64* ranges;
  u32 transaction, count, late_count, unread_count, indexed, largest;
  u64 inputs;  // of the piece that is written

  // Whether it is known that an attempt ends here. What is not known ends nothing: it cannot change the accesses before the end.
  STM_DEVICE static constexpr bool ends(bool condition, u32 location) { return condition && !F::template is_open<LATE>(location); }
  // Where an attempt cannot go on past an end that is not known, nothing is.
  STM_DEVICE stm_status fault(stm_fault code, u32 location) {
    return F::template is_open<LATE>(location) ? STM_CONFLICT : stm_tx_base::fault(code, location);
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    bool is_there = array.holds(index);
    if (ends(!is_there, location)) return fault(STM_FAULT_INDEX, location);
    if (slot == STM_INDEXED) indexed += 1;
    *out = stm_word<T>::to(0);
    if constexpr (LATE) {
      if (F::is_ticket(Array::PARAM) && is_there) return read_ticket(array, index, out);
    }
    return STM_OK;
  }

  // All writes to a ticket were resolved after the first listing.
  template <class Array, class T>
  STM_DEVICE stm_status read_ticket(const Array& array, u64 index, T* out) {
    stm_place_range range = stm_range_of(array.at, index);
    // mutation "ticket of another transaction": u32 high = range.end;
    u32 high = stm_places_before(sorted, range, transaction * versions->WRITES + count);
    stm_pair version = {STM_ON_ELEMENT, 0};
    if (high > range.begin) version = versions->load(__ldg(sorted + high - 1), F::cell(Array::PARAM));
    if (version.word != STM_PUBLISHED && version.word != STM_ON_ELEMENT) return STM_CONFLICT;
    stm_ref ref = array.ref(index);
    if (version.word == STM_ON_ELEMENT) version.value += stm_constant_load(ref.value, ref.width == 0 ? 8 : ref.width);
    *out = stm_word<T>::to(version.value);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    bool is_there = array.holds(index);
    if (ends(!is_there, location)) return fault(STM_FAULT_INDEX, location);
    if (slot == STM_INDEXED) indexed += 1;
    stm_known_write known(F::write_at(location, Array::PARAM));
    // mutation "what is put back": known.is_nothing = known.adds;
    if (known.is_nothing) return STM_OK;
    if constexpr (F::is_unread(Array::PARAM)) {
      if (array.at.extra == nullptr) return STM_CONFLICT;
      // What ends without a commit after it has marked an element makes others keep their values for nothing.
      if (is_last_listing() && F::cell(Array::PARAM) == 0) stm_unread::mark(array.at, index);
      unread_count += 1;
    } else if constexpr (F::is_summed(Array::PARAM)) {
      if (array.at.extra == nullptr) return STM_CONFLICT;
    } else if constexpr (F::is_late(Array::PARAM)) {
      if constexpr (LATE) return list(late_versions, &late_count, known, array, index, stm_to_word(value));
    } else if constexpr (LATE) {
      constexpr u32 CELL = F::cell(Array::PARAM);
      if (CELL == 0) count += 1;
      if (known.listing == 1 && !known.adds) versions->store(transaction * versions->WRITES + count - 1, CELL, STM_PUBLISHED, stm_to_word(value));
    } else {
      return list(versions, &count, known, array, index, stm_to_word(value));
    }
    return STM_OK;
  }

  template <bool OF, class Array>
  STM_DEVICE stm_status list(const stm_versions<OF>* to, u32* nth, stm_known_write known, const Array& array, u64 index, u64 word) {
    if (array.at.extra == nullptr) return STM_CONFLICT;
    constexpr u32 CELL = F::cell(Array::PARAM);
    if (CELL == 0) *nth += 1;
    if (*nth <= to->WRITES) {
      u32 key = (u32)((u64*)array.at.extra - ranges) + (u32)index + 1, place = transaction * to->WRITES + *nth - 1;
      if (CELL == 0) {
        to->keys[0][place] = key;
        if (key > largest) largest = key;
        // The sums pass over all places.
        for (u32 other = F::cells(Array::PARAM); other < to->CELLS; ++other) {
          if (to->ADDS >> other & 1) to->store(place, other, STM_VOID, 0);
        }
      }
      // mutation "publish what is not foreseen": u64 state = F::FORESEEN_OUTCOME ? STM_PUBLISHED : STM_EXPECTED;
      u64 state = known.listing <= (LATE ? 1 : 0) ? STM_PUBLISHED : STM_EXPECTED;
      // What is added to zero is what is added.
      if (known.adds) state = known.is_immediate ? STM_ADDS_UP : STM_ADDS_LATE;
      // mutation "inputs of a piece": if (known.piece > 1) state = STM_PIECES + known.piece - 1;
      if (known.piece > 1) word = inputs;
      if (known.piece != 0) state = STM_PIECES + known.piece - 1;
      to->store(place, CELL, state, word);
    }
    return STM_OK;
  }

  // Whether all addresses are known by now.
  STM_DEVICE static constexpr bool is_last_listing() { return LATE || !F::LATE; }

  // Takes the first list back.
  STM_DEVICE void withdraw() const {
    for (u32 nth = 0; nth < count && nth < versions->WRITES; ++nth) versions->keys[0][transaction * versions->WRITES + nth] = 0;
  }
};

// A write that is a piece, with its inputs.
template <class F, bool LATE, class Array, class T>
STM_DEVICE stm_status stm_write_piece(stm_foresight<F, LATE>& tx, u32 slot, u32 location, const Array& array, u64 index, T value, u64 inputs) {
  tx.inputs = inputs;
  return stm_write(tx, slot, location, array, index, value);
}

// Runs a function for a listing. Returns how it ended, and whether all of its writes have places.
template <class Specialization, bool LATE, class Tx, class... Arrays>
STM_DEVICE stm_status stm_list(const stm_params& p, u32 transaction, Tx& tx, bool* is_listed, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  tx.ranges = p.sums;
  tx.transaction = transaction;
  tx.iterations = tx.count = tx.late_count = tx.unread_count = tx.indexed = tx.largest = 0;
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS];
  stm_status status = Specialization::body(tx, p, args, result);
  *is_listed = tx.count <= (u32)STM_WRITES && tx.late_count <= (u32)STM_LATE_WRITES;
  if constexpr (Tx::is_last_listing()) {
    if (tx.unread_count > (u32)STM_UNREAD_WRITES) *is_listed = false;
    // Only a set can tell whether some accesses are of one element.
    if (facts::STATED && tx.indexed > facts::INDEXED) *is_listed = false;
  }
  return status;
}

template <bool OF>
STM_DEVICE void stm_note_largest(const stm_versions<OF>& versions, u32 largest) {
  if (largest > stm_load_relaxed(versions.largest)) stm_max_relaxed(versions.largest, largest);
}

template <class Specialization, class... Arrays>
STM_DEVICE void stm_list_writes(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  // mutation "list again what was refused": if (false) return;
  if (facts::LATE && p.status[transaction] == STM_IS_REFUSED) return;
  stm_versions<false> versions(p);
  stm_foresight<facts, false> tx;
  tx.versions = &versions;
  bool is_listed;
  stm_status status = stm_list<Specialization, false>(p, transaction, tx, &is_listed, arrays...);
  bool is_bound = status == STM_OK && is_listed;
  if (facts::LATE && (!is_bound || tx.count == 0)) versions.store(transaction * versions.WRITES, 0, STM_VOID, 0);
  if (!is_bound) {
    // mutation "withdraw":
    tx.withdraw();
    if (is_listed && status != STM_CONFLICT) {
      p.status[transaction] = STM_IS_REFUSED;
    } else if (STM_PUSHED) {
      // mutation "notice who cannot run in turn":
      stm_add_relaxed(p.counters + STM_LEFT_CONFLICT, 1);
    }
    return;
  }
  stm_note_largest(versions, tx.largest);
  p.status[transaction] = STM_IS_FORESEEN;
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_foresee(const stm_params& p, u32 transaction, Arrays... arrays) {
  if constexpr (!Specialization::facts::READ_ONLY) stm_list_writes<Specialization>(p, transaction, arrays...);
  return 0;
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_foresee_late(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  if (p.status[transaction] != STM_IS_FORESEEN) return 0;
  stm_versions<false> versions(p);
  stm_versions<true> late_versions(p);
  stm_foresight<facts, true> tx;
  tx.versions = &versions;
  tx.late_versions = &late_versions;
  tx.sorted = versions.sorted();
  bool is_listed;
  stm_status status = stm_list<Specialization, true>(p, transaction, tx, &is_listed, arrays...);
  if (status == STM_OK && is_listed) {
    if constexpr (STM_LATE_WRITES != 0) stm_note_largest(late_versions, tx.largest);
    return 0;
  }
  // It ends at its turn and takes its writes back, unless others already count on them.
  bool is_bound = facts::FORESEEN_OUTCOME && versions.load(transaction * versions.WRITES, 0).word != STM_VOID;
  // mutation "refuse what does not commit": return 0;
  p.status[transaction] = STM_IS_REFUSED;
  if (is_bound || status == STM_CONFLICT || !is_listed) {
    stm_add_relaxed(p.counters + STM_LEFT_CONFLICT, 1);
  }
  return 0;
}
